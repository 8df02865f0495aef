import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from xclare.data.files import BLANK_LINES, Findings
from xclare.data.formats.sparse_text_writer import write_pairs
from xclare.data.reciprocal_pairs import read_pairs, without
from xclare.errors import InputError
from xclare.sparse import csr_from_pairs

PAIRS = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 8)), max_size=20)


def matrix(pairs):
    return csr_from_pairs([row for row, _ in pairs], [column for _, column in pairs], (7, 9))


@given(PAIRS)
@settings(deadline=None)
def test_pairs_read_back_as_written(tmp_path_factory, pairs):
    path = tmp_path_factory.mktemp("pairs") / "filter_labels_test.txt"
    write_pairs(matrix(pairs), path)
    np.testing.assert_array_equal(read_pairs(path, (7, 9), Findings()).toarray(), matrix(pairs).toarray())


@given(PAIRS, PAIRS)
def test_targets_lose_exactly_the_excluded_pairs(targets, excluded):
    left = without(matrix(targets), matrix(excluded)).toarray()
    expected = matrix(targets).toarray() * (matrix(excluded).toarray() == 0)
    np.testing.assert_array_equal(left, expected)


def test_tabs_blank_lines_and_a_missing_last_line_end_do_not_matter(tmp_path):
    path = tmp_path / "pairs.txt"
    path.write_text("0\t1\n\n  2   3  \n2 3\n000000000006 8")
    findings = Findings()
    rows, columns = read_pairs(path, (7, 9), findings).nonzero()
    assert list(zip(rows.tolist(), columns.tolist(), strict=True)) == [(0, 1), (2, 3), (6, 8)]


def test_blank_lines_are_counted(tmp_path):
    path = tmp_path / "pairs.txt"
    path.write_text("0 1\n\n \n")
    findings = Findings()
    read_pairs(path, (7, 9), findings)
    assert findings == {BLANK_LINES: 2}


@pytest.mark.parametrize(
    ("line", "place"),
    [
        ("7 0", "line 2, column 1: found '7', expected a document's row, a number from 0 and below 7"),
        ("6 9", "line 2, column 3: found '9', expected a label, a number from 0 and below 9"),
        ("-1 0", "line 2, column 1: found '-1'"),
        ("1.0 0", "line 2, column 1: found '1.0'"),
        ("1", "line 2: found 1 words"),
        ("1 2 3", "line 2: found 3 words"),
        ("1 ²", "line 2, column 3: found"),
    ],
)
def test_what_is_no_pair_is_refused_with_its_place(tmp_path, line, place):
    path = tmp_path / "pairs.txt"
    path.write_text(f"0 0\n{line}\n1 1\n")
    with pytest.raises(InputError) as error:
        read_pairs(path, (7, 9), Findings())
    assert str(error.value).startswith(f"{path}, {place}")
