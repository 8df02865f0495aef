"""Parquet files as columns and back, by pyarrow (the extra `[parquet]`), without a Python object a cell."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from xclare.data.formats.columns import Column, Odd, offsets_of
from xclare.errors import InputError, MissingExtraError, shown
from xclare.progress import SILENT, Progress
from xclare.strings import Strings

PARQUET_MAGIC = b"PAR1"
ROWS_AT_ONCE = 65_536


def read_parquet(path: Path, progress: Progress = SILENT) -> Iterator[tuple[NDArray[np.int64], dict[str, Column]]]:
    """The rows of a file, some at a time: their numbers from 1, and their columns. There is at least one batch."""
    _require_pyarrow()
    import pyarrow as pa
    import pyarrow.parquet as pq

    with (
        _errors_of(path),
        pq.ParquetFile(path) as file,
        progress.task(f"reading {path.name}", file.metadata.num_rows) as advance,
    ):
        names = file.schema_arrow.names
        if len(set(names)) < len(names):
            raise InputError.at(path, found="two columns of one name", expected="a different name for each column")
        first = 1
        for batch in file.iter_batches(ROWS_AT_ONCE):
            yield np.arange(first, first + batch.num_rows), _columns(path, batch, first)
            first += batch.num_rows
            advance(batch.num_rows)
        if first == 1:
            empty = pa.RecordBatch.from_pylist([], schema=file.schema_arrow)
            yield np.empty(0, np.int64), _columns(path, empty, first)


def write_parquet(file: IO[bytes], columns: Mapping[str, Column], advance: Callable[[int], None]) -> None:
    """Writes columns of equal length."""
    _require_pyarrow()
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.table({name: _arrow(column) for name, column in columns.items()})
    with pq.ParquetWriter(file, table.schema) as writer:
        for start in range(0, max(1, table.num_rows), ROWS_AT_ONCE):
            part = table.slice(start, ROWS_AT_ONCE)
            writer.write_table(part)
            advance(part.num_rows)


def _require_pyarrow() -> None:
    try:
        import pyarrow.parquet  # noqa: F401
    except ImportError:
        raise MissingExtraError("Parquet", "parquet") from None


@contextmanager
def _errors_of(path: Path) -> Iterator[None]:
    """The many ways of pyarrow to refuse a file, as one."""
    import pyarrow as pa

    try:
        yield
    except FileNotFoundError:
        raise InputError(f"{path} does not exist. Check the name, or give the folder's full path.") from None
    except (pa.ArrowException, OSError, ValueError, KeyError, TypeError, OverflowError, MemoryError) as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise InputError(f"{path} is a damaged Parquet file ({shown(reason, 200)}). Copy or write it again.") from error


class _NotTextError(Exception):
    """A value is not UTF-8; `row` counts from 0 within the array."""

    def __init__(self, row: int, data: bytes) -> None:
        super().__init__(row, data)
        self.row, self.data = row, data


def _columns(path: Path, batch: Any, first: int) -> dict[str, Column]:
    columns = {}
    for name, array in zip(batch.schema.names, batch.columns, strict=True):
        try:
            columns[name] = _column(array)
        except _NotTextError as error:
            found = f"the bytes {shown(error.data)} in the column {name!r}"
            raise InputError.at(f"{path}, row {first + error.row}", found=found, expected="UTF-8 text") from None
    return columns


def _column(array: Any) -> Column:
    """An Arrow array as a column."""
    import pyarrow as pa

    kind = array.type
    if pa.types.is_dictionary(kind):
        return _column(array.dictionary_decode())
    missing = None
    if array.null_count:
        missing = array.is_null().to_numpy(zero_copy_only=False)
    if pa.types.is_null(kind):
        return Column.blank(len(array))
    if _is_list(kind):
        return _list_column(array, missing)
    if _is_text(kind):
        return Column(_strings(array), missing=missing)
    numbers = _numbers(array)
    if numbers is None:
        return Column.unreadable(len(array), Odd(0, f"values of the type {kind}")) if len(array) else Column.blank(0)
    return Column(numbers, missing=missing)


def _is_text(kind: Any) -> bool:
    import pyarrow as pa

    is_a = pa.types
    return bool(
        is_a.is_string(kind)
        or is_a.is_large_string(kind)
        or is_a.is_string_view(kind)
        or is_a.is_binary(kind)
        or is_a.is_large_binary(kind)
        or is_a.is_binary_view(kind)
    )


def _is_list(kind: Any) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind))


def _strings(array: Any) -> Strings:
    """The array's own two buffers, checked to be UTF-8. Nulls become empty."""
    import pyarrow as pa
    import pyarrow.compute as pc

    raw = array.cast(pa.large_binary())
    if raw.null_count:
        raw = pc.fill_null(raw, b"")
    _, offset_bytes, data = raw.buffers()
    if not len(raw) or offset_bytes is None:
        return Strings.empty(len(raw))
    offsets = np.frombuffer(offset_bytes, np.int64)[raw.offset : raw.offset + len(raw) + 1]
    blob = np.frombuffer(data, np.uint8)[offsets[0] : offsets[-1]] if data is not None else np.empty(0, np.uint8)
    strings = Strings(blob.copy(), offsets - offsets[0])
    _check_text(strings)
    return strings


def _check_text(strings: Strings) -> None:
    """Refuses what is not UTF-8. A blob that is UTF-8 as a whole must also be cut between characters."""
    blob, cuts = strings.blob, strings.offsets[:-1]
    cuts = cuts[cuts < len(blob)]
    try:
        blob.tobytes().decode()
        if not ((blob[cuts] & 0xC0) == 0x80).any():
            return
    except UnicodeDecodeError:
        pass
    for row, (start, stop) in enumerate(zip(strings.offsets[:-1].tolist(), strings.offsets[1:].tolist(), strict=True)):
        data = blob[start:stop].tobytes()
        try:
            data.decode()
        except UnicodeDecodeError as error:
            raise _NotTextError(row, data[error.start : error.start + 4]) from None


def _list_column(array: Any, missing: NDArray[np.bool_] | None) -> Column:
    import pyarrow.compute as pc

    lengths = pc.fill_null(pc.list_value_length(array), 0).to_numpy(zero_copy_only=False)
    offsets = offsets_of(lengths)
    try:
        inner = _column(array.flatten())  # leaves the values below nulls out
    except _NotTextError as error:
        raise _NotTextError(int(np.searchsorted(offsets, error.row, side="right")) - 1, error.data) from None
    column = Column(inner.values, offsets, missing)
    if inner.missing is not None:
        return Column.unreadable(len(array), Odd(column.row_of_value(int(inner.missing.argmax())), "null in a list"))
    if inner.offsets is not None or inner.odd is not None:
        return Column.unreadable(len(array), Odd(0, f"values of the type {array.type}"))
    return column


def _numbers(array: Any) -> NDArray[Any] | None:
    """int64 or float64 numbers, moments in seconds since 1970; None for other types."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = array.type
    if pa.types.is_timestamp(kind) or pa.types.is_date(kind):
        exact = array.cast(pa.timestamp("us", tz=getattr(kind, "tz", None)), safe=False).cast(pa.int64())
        array = pc.divide(exact.cast(pa.float64(), safe=False), 1e6)
    elif pa.types.is_integer(kind):
        array = array.cast(pa.int64())
    elif pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        array = array.cast(pa.float64())
    else:
        return None
    filled = pc.fill_null(array, 0) if array.null_count else array
    numbers: NDArray[Any] = filled.to_numpy(zero_copy_only=False)
    return numbers


def _arrow(column: Column) -> Any:
    """A column as an Arrow array over the same memory."""
    import pyarrow as pa

    if isinstance(column.values, Strings):
        strings = column.values
        buffers = [pa.py_buffer(np.ascontiguousarray(part)) for part in (strings.offsets, strings.blob)]
        values = pa.LargeStringArray.from_buffers(len(strings), *buffers)
    else:
        values = pa.array(column.values)
    return values if column.offsets is None else pa.LargeListArray.from_arrays(pa.array(column.offsets), values)
