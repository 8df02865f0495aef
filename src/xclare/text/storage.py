"""Reading saved text features: every file that is not what it should be is refused."""

from __future__ import annotations

import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from xclare.errors import InputError
from xclare.strings import Strings

BIGRAM_ARRAYS = {"words", "word_offsets", "pairs"}


def read_tokenizer(path: Path) -> Tokenizer:
    """The tokenizer of a JSON file."""
    try:
        return Tokenizer.from_str(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError(f"{path} does not exist. Expected a folder that text features were saved to.") from None
    except Exception as error:  # the library raises nothing more exact
        raise InputError.at(path, found=f"no tokenizer ({error})", expected="the JSON that was saved") from error


def read_arrays(path: Path) -> dict[str, NDArray[Any]]:
    """The arrays of a saved `.npz`, with everything that belongs together."""
    try:
        with path.open("rb") as raw, np.load(raw, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
    except FileNotFoundError:
        raise InputError(f"{path} does not exist. Expected a folder that text features were saved to.") from None
    except (ValueError, TypeError, AttributeError, OSError, EOFError, zipfile.BadZipFile, zlib.error) as error:
        raise InputError.at(path, found=f"no arrays ({error})", expected="the file that was saved") from error
    wanted = BIGRAM_ARRAYS | {"idf"} if "pairs" in arrays else {"idf"}
    if missing := wanted - arrays.keys():
        raise InputError.at(path, found=f"no array {min(missing)!r}", expected=", ".join(sorted(wanted)))
    if arrays["idf"].dtype != np.float32 or not np.isfinite(arrays["idf"]).all():
        raise InputError.at(
            path, found="idf that are no finite numbers", expected="the float32 numbers that were saved"
        )
    if "pairs" in arrays and not _are_bigrams(arrays):
        raise InputError.at(path, found="words and pairs that do not fit", expected="those that were saved")
    return arrays


def _are_bigrams(arrays: dict[str, NDArray[Any]]) -> bool:
    """Whether the offsets cut the words' bytes into texts, and every pair is one of two of the words, the pairs
    ascending."""
    words, offsets, pairs = (arrays[name] for name in ("words", "word_offsets", "pairs"))
    kinds = [(array.dtype, array.ndim) for array in (words, offsets, pairs)]
    if kinds != [(np.dtype(kind), 1) for kind in (np.uint8, np.int64, np.int64)] or not len(offsets):
        return False
    if offsets[0] != 0 or offsets[-1] != len(words) or (np.diff(offsets) <= 0).any():
        return False
    try:
        list(Strings(words, offsets))
    except UnicodeDecodeError:
        return False
    bounds = np.concatenate([[-1], pairs, [(len(offsets) - 1) ** 2]])
    return bool((np.diff(bounds) > 0).all())
