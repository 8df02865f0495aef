"""TF-IDF: counts to weights."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from xclare.sparse import Csr, column_counts, row_counts, row_l2_normalized


def inverse_document_frequencies(parts: Sequence[Csr]) -> NDArray[np.float32]:
    """(columns,) How much a token tells, from the counts of all parts: training documents and label texts.

        idf(t) = ln((1 + N) / (1 + df_t)) + 1

    where N texts have any token and df_t of them the token t. Label texts count as texts: a word that every label has
    tells as little as one that every document has. Test documents never count.
    """
    texts = sum(int((row_counts(counts) > 0).sum()) for counts in parts)
    frequencies = np.sum([column_counts(counts) for counts in parts], axis=0)
    idf: NDArray[np.float32] = (np.log((1 + texts) / (1 + frequencies)) + 1).astype(np.float32)
    return idf


def tf_idf(counts: Csr, idf: NDArray[np.float32]) -> Csr:
    """(texts x columns) The weight of every token t of a text x; each row is then divided by its L2 norm.

        w(x, t) = (1 + ln n_xt) · idf(t)

    where t stands n_xt times in x. The logarithm, because a token repeated in a short text is seldom twice as telling
    (it measured better than the plain count for nearest labels and nearest documents). Empty rows stay empty.
    """
    weights = (1 + np.log(counts.data)) * idf[counts.indices]
    return row_l2_normalized(csr_array((weights.astype(np.float32), counts.indices, counts.indptr), shape=counts.shape))
