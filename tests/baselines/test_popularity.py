import numpy as np
from baseline_contract import BaselineContract


class TestPopularity(BaselineContract):
    name = "popularity"

    def test_every_document_gets_the_labels_of_most_training_documents_with_their_share(self, build):
        dataset = build([[0]] * 4, [[2], [2, 0], [2, 1], [1]], [[0], [1]], [[0], [1], [2], [3]])
        np.testing.assert_array_equal(self.predict(dataset).toarray(), [[0.25, 0.5, 0.75, 0]] * 2)

    def test_of_equally_popular_labels_the_lower_id_stays(self, build):
        dataset = build([[0]] * 2, [[3, 1], [3, 1]], [[0]], [[0]] * 4)
        assert self.predict(dataset, top_k=1).indices.tolist() == [1]

    def test_a_document_without_a_token_gets_them_too(self, build):
        dataset = build([[0]], [[1]], [[], [7]], [[0], [1]])
        assert self.predict(dataset).toarray().tolist() == [[0, 1], [0, 1]]

    def test_weights_of_pairs_do_not_count(self, build):
        dataset = build([[0]] * 3, [[0], [1], [1]], [[0]], [[0], [1]])
        dataset.train.targets.data[:] = [9, 1, 1]
        assert self.predict(dataset, top_k=1).indices.tolist() == [1]
