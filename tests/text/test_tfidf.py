import numpy as np

from xclare.sparse import csr_from_pairs
from xclare.text.tfidf import inverse_document_frequencies, tf_idf


def test_idf_counts_the_texts_of_all_parts_that_have_a_token():
    documents = csr_from_pairs([0, 0, 1], [0, 1, 0], (3, 3), [2.0, 1.0, 5.0])  # the third text is empty
    labels = csr_from_pairs([0], [0], (1, 3))
    expected = [np.log(4 / 4) + 1, np.log(4 / 2) + 1, np.log(4 / 1) + 1]
    np.testing.assert_allclose(inverse_document_frequencies([documents, labels]), expected, rtol=1e-6)


def test_weights_by_hand():
    counts = csr_from_pairs([0, 0, 2], [0, 1, 1], (3, 2), [3.0, 1.0, 4.0])
    first, second = (1 + np.log(3)) * 2, 1 * 0.5
    norm = np.hypot(first, second)
    weights = tf_idf(counts, np.array([2, 0.5], np.float32))
    np.testing.assert_allclose(weights.toarray(), [[first / norm, second / norm], [0, 0], [0, 1]], rtol=1e-6)
    assert weights.dtype == np.float32
    assert weights.has_canonical_format
