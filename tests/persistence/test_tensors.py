import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays_of
from safetensors.numpy import load_file

from xclare.errors import InputError
from xclare.persistence.tensors import (
    INDEX_FILE,
    read_tensor_file,
    read_tensors,
    write_tensor_file,
    write_tensors,
)

KINDS = [np.float64, np.float32, np.float16, np.int64, np.int32, np.uint8, np.bool_]
SHAPES = st.one_of(st.just(()), arrays_of.array_shapes(min_dims=1, max_dims=3, min_side=0, max_side=6))
ARRAYS = st.dictionaries(
    st.text("abc._", min_size=1, max_size=4),
    st.sampled_from(KINDS).flatmap(lambda kind: arrays_of.arrays(kind, SHAPES)),
    max_size=5,
)


def assert_same(found, expected):
    assert found.keys() == expected.keys()
    for name, array in expected.items():
        assert found[name].dtype == array.dtype
        assert found[name].shape == array.shape
        assert found[name].tobytes() == array.tobytes(), name


@settings(max_examples=60, deadline=None)
@given(ARRAYS, st.integers(1, 200))
def test_arrays_come_back_whatever_the_size_of_the_files(tmp_path_factory, arrays, most_bytes):
    folder = tmp_path_factory.mktemp("tensors")
    write_tensors(folder, arrays, most_bytes)
    assert_same(read_tensors(folder), arrays)
    longest_row = max((array[:1].nbytes if array.ndim else array.nbytes for array in arrays.values()), default=0)
    for file in folder.glob("*.safetensors"):
        assert sum(array.nbytes for array in read_tensor_file(file).values()) <= max(most_bytes, longest_row)


def test_a_large_array_is_cut_between_rows_and_small_ones_share_a_file(tmp_path):
    large, small = np.arange(70, dtype=np.float32).reshape(10, 7), np.arange(3)
    write_tensors(tmp_path, {"a": small, "large": large, "z": small}, 100)
    assert json.loads((tmp_path / INDEX_FILE).read_text())["large"] == [
        f"weights-{number}.safetensors" for number in (2, 3, 4, 5)
    ]
    shards = [read_tensor_file(tmp_path / f"weights-{number}.safetensors") for number in range(1, 6)]
    assert [len(shard["large"]) for shard in shards if "large" in shard] == [3, 3, 3, 1]
    assert list(shards[0]) == ["a"]
    assert sorted(shards[4]) == ["large", "z"]
    assert_same(read_tensors(tmp_path), {"a": small, "large": large, "z": small})


def test_what_is_read_is_mapped_and_cannot_be_written_to(tmp_path):
    write_tensors(tmp_path, {"a": np.ones(4)})
    found = read_tensors(tmp_path)["a"]
    assert isinstance(found, np.memmap)
    with pytest.raises(ValueError, match="read-only"):
        found[0] = 2


def test_the_files_are_those_of_the_safetensors_library(tmp_path):
    arrays = {"a": np.arange(6, dtype=np.float32).reshape(2, 3), "b": np.array([True, False])}
    write_tensor_file(tmp_path / "x.safetensors", arrays)
    assert_same(load_file(tmp_path / "x.safetensors"), arrays)


def test_columns_and_other_views_are_written_as_they_look(tmp_path):
    array = np.arange(12).reshape(3, 4)
    write_tensors(tmp_path, {"transposed": array.T, "every_second": array[:, ::2]})
    assert_same(read_tensors(tmp_path), {"transposed": array.T.copy(), "every_second": array[:, ::2].copy()})


def test_equal_arrays_give_equal_bytes(tmp_path):
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
        write_tensors(tmp_path / name, {"b": np.ones((3, 2)), "a": np.arange(4)}, 40)
    names = sorted(path.name for path in (tmp_path / "one").iterdir())
    assert all((tmp_path / "one" / name).read_bytes() == (tmp_path / "other" / name).read_bytes() for name in names)


def whole(tmp_path):
    write_tensors(tmp_path, {"a": np.arange(30, dtype=np.float32).reshape(10, 3), "b": np.arange(5)}, 64)
    return tmp_path


@pytest.mark.parametrize(
    "index",
    ["", "[1]", "{", "3", '{"a": 3}', '{"a": [3]}', '{"a": []}', '{"b": ["weights-1.safetensors"]}', "[" * 10_000],
)
def test_a_damaged_index_is_refused_with_its_name_and_what_to_do(tmp_path, index):
    (whole(tmp_path) / INDEX_FILE).write_text(index)
    with pytest.raises(InputError, match=r"weights\.json: found no index .* Copy the model folder again\."):
        read_tensors(tmp_path)


def test_parts_that_do_not_fit_together_are_refused(tmp_path):
    write_tensor_file(whole(tmp_path) / "weights-2.safetensors", {"a": np.zeros((2, 4), np.float32)})
    with pytest.raises(InputError, match="Copy the model folder again"):
        read_tensors(tmp_path)


@pytest.mark.parametrize("name", [INDEX_FILE, "weights-2.safetensors"])
def test_a_missing_file_is_named(tmp_path, name):
    (whole(tmp_path) / name).unlink()
    with pytest.raises(InputError, match=rf"{name} does not exist: .* Copy it again"):
        read_tensors(tmp_path)


@pytest.mark.parametrize("length", [0, 3, 8, 20, 100, -1])
def test_a_file_that_ends_early_is_refused_with_its_name_and_what_to_do(tmp_path, length):
    path = whole(tmp_path) / "weights-2.safetensors"
    path.write_bytes(path.read_bytes()[:length])
    with pytest.raises(InputError, match=r"weights-2\.safetensors: found no arrays .* Copy the folder again\."):
        read_tensors(tmp_path)


def described(**about):
    header = json.dumps({"a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8], **about}}).encode()
    return len(header).to_bytes(8, "little") + header + bytes(8)


@pytest.mark.parametrize(
    "about",
    [
        {"dtype": "BF16"},
        {"shape": [3]},
        {"shape": [-1, -2]},
        {"shape": [float("inf")]},
        {"shape": 2},
        {"data_offsets": [4, 12]},
        {"data_offsets": [-8, 0]},
        {"data_offsets": [8, 0]},
        {"data_offsets": [0]},
    ],
)
def test_a_header_that_promises_what_is_not_there_is_refused(tmp_path, about):
    path = tmp_path / "x.safetensors"
    path.write_bytes(described())
    assert read_tensor_file(path)["a"].tolist() == [0, 0]
    path.write_bytes(described(**about))
    with pytest.raises(InputError, match=r"x\.safetensors: found no arrays"):
        read_tensor_file(path)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 10_000), st.integers(0, 255)), min_size=1, max_size=6))
def test_no_damage_ends_in_anything_but_arrays_or_an_input_error(tmp_path_factory, changes):
    path = tmp_path_factory.mktemp("damaged") / "x.safetensors"
    write_tensor_file(path, {"a": np.arange(6, dtype=np.float32).reshape(2, 3), "b": np.arange(2)})
    data = bytearray(path.read_bytes())
    for place, value in changes:
        data[place % len(data)] = value
    path.write_bytes(bytes(data))
    try:
        found = read_tensor_file(path)
    except InputError:
        return
    assert all(isinstance(array, np.ndarray) for array in found.values())
