import gzip
from pathlib import Path

import pytest

from xclare.errors import InputError
from xclare.persistence.atomic import atomic_file, atomic_folder


def test_a_file_appears_when_the_block_ends(tmp_path):
    target = tmp_path / "out.txt"
    with atomic_file(target) as file:
        file.write(b"text")
        assert not target.exists()
    assert target.read_bytes() == b"text"
    assert [path.name for path in tmp_path.iterdir()] == ["out.txt"]


def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path):
    target = tmp_path / "out.txt"
    target.write_bytes(b"old")

    def fail():
        with atomic_file(target) as file:
            file.write(b"new")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert target.read_bytes() == b"old"
    assert [path.name for path in tmp_path.iterdir()] == ["out.txt"]


def test_a_name_in_gz_is_packed_and_equal_content_gives_equal_bytes(tmp_path):
    for name in ("a.gz", "b.gz"):
        with atomic_file(tmp_path / name) as file:
            file.write(b"text" * 100)
    assert gzip.decompress((tmp_path / "a.gz").read_bytes()) == b"text" * 100
    assert (tmp_path / "a.gz").read_bytes() == (tmp_path / "b.gz").read_bytes()


def test_a_file_gets_the_permissions_any_new_file_has(tmp_path):
    (tmp_path / "plain").write_bytes(b"")
    with atomic_file(tmp_path / "ours") as file:
        file.write(b"")
    assert (tmp_path / "ours").stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_a_missing_folder_or_a_folder_in_its_place_is_refused(tmp_path):
    with pytest.raises(InputError, match="does not exist"), atomic_file(tmp_path / "no" / "file"):
        pass
    with pytest.raises(InputError, match="is a folder"), atomic_file(tmp_path):
        pass


def test_a_folder_appears_when_the_block_ends_and_not_when_it_fails(tmp_path):
    with atomic_folder(tmp_path / "new") as folder:
        (folder / "file").write_text("text")
        assert not (tmp_path / "new").exists()
    assert (tmp_path / "new" / "file").read_text() == "text"

    def interrupt():
        with atomic_folder(tmp_path / "failed") as folder:
            (folder / "file").write_text("text")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupt()
    assert [path.name for path in tmp_path.iterdir()] == ["new"]


def test_a_folder_that_holds_something_is_never_touched(tmp_path):
    (tmp_path / "mine").write_text("text")
    with pytest.raises(InputError, match="not an empty folder"), atomic_folder(tmp_path):
        pass
    assert (tmp_path / "mine").read_text() == "text"


def old_model(tmp_path):
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "old").write_text("old")
    return tmp_path / "model"


def test_a_folder_to_be_overwritten_stays_until_the_block_ends_and_then_nothing_of_it_is_left(tmp_path):
    target = old_model(tmp_path)
    with atomic_folder(target, overwrite=True) as folder:
        (folder / "new").write_text("new")
        assert [path.name for path in target.iterdir()] == ["old"]
    assert [path.name for path in target.iterdir()] == ["new"]
    assert [path.name for path in tmp_path.iterdir()] == ["model"]


@pytest.mark.parametrize("failure", [RuntimeError, KeyboardInterrupt])
def test_a_folder_to_be_overwritten_stays_where_the_block_fails(tmp_path, failure):
    target = old_model(tmp_path)

    def fail():
        with atomic_folder(target, overwrite=True) as folder:
            (folder / "new").write_text("new")
            raise failure

    with pytest.raises(failure):
        fail()
    assert (target / "old").read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["model"]


def test_a_folder_comes_back_where_the_new_one_cannot_take_its_place(tmp_path, monkeypatch):
    target = old_model(tmp_path)
    real = Path.replace

    def refuse(self, other):
        if self.name.endswith(".part"):
            raise OSError("no")
        return real(self, other)

    def overwrite():
        with atomic_folder(target, overwrite=True) as folder:
            (folder / "new").write_text("new")
            monkeypatch.setattr(Path, "replace", refuse)

    with pytest.raises(OSError, match="no"):
        overwrite()
    assert (target / "old").read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["model"]


def test_a_file_in_a_folders_place_is_refused_also_where_a_folder_might_be_overwritten(tmp_path):
    (tmp_path / "file").write_text("text")
    with pytest.raises(InputError, match="exists already"), atomic_folder(tmp_path / "file", overwrite=True):
        pass
    assert (tmp_path / "file").read_text() == "text"


def test_a_link_stays_and_what_it_leads_to_is_overwritten(tmp_path):
    target, link = old_model(tmp_path), tmp_path / "latest"
    link.symlink_to(target)
    with atomic_folder(link, overwrite=True) as folder:
        (folder / "new").write_text("new")
    assert link.is_symlink()
    assert [path.name for path in target.iterdir()] == ["new"]
