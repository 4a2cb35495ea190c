"""Packing bot folders and unpacking archives that nobody vouches for."""

from __future__ import annotations

import io
import os
import random
import stat
import zipfile
from pathlib import Path

import pytest

from arena.bundle import MAX_BYTES, MAX_FILES, Bundle, digest_of, extract, pack
from arena.errors import BundleError


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    bot = tmp_path / "bot"
    (bot / "lib").mkdir(parents=True)
    (bot / "bot.toml").write_text('name = "tester"\n')
    (bot / "main.py").write_text("print('hello')\n")
    (bot / "lib" / "table.txt").write_text("1 2 3\n")
    return bot


def archive(*entries: tuple[str, bytes], mode: int = stat.S_IFREG | 0o644) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as file:
        for name, data in entries:
            info = zipfile.ZipInfo(name)
            info.external_attr = mode << 16
            info.compress_type = zipfile.ZIP_DEFLATED
            file.writestr(info, data)
    return buffer.getvalue()


def refused(data: bytes, target: Path) -> str:
    with pytest.raises(BundleError, match=r"^[^\n]+$") as error:
        extract(data, target)
    assert not target.exists()
    return str(error.value)


def test_what_is_packed_comes_out_again(folder: Path, tmp_path: Path) -> None:
    bundle = pack(folder)
    target = tmp_path / "out"
    extract(bundle.data, target, bundle.digest)
    files = sorted(path.relative_to(target).as_posix() for path in target.rglob("*.*"))
    assert files == ["bot.toml", "lib/table.txt", "main.py"]
    assert (target / "main.py").read_text() == "print('hello')\n"
    assert stat.S_IMODE((target / "main.py").stat().st_mode) == 0o644
    assert stat.S_IMODE((target / "lib").stat().st_mode) == 0o755


def test_a_bundle_knows_its_version(folder: Path) -> None:
    bundle = pack(folder)
    assert (bundle.name, bundle.version.n_files, bundle.version.size_bytes) == ("tester", 3, 37)
    assert bundle.manifest.entry == "main.py"
    assert bundle.version.manifest["entry"] == "main.py"


def test_the_same_files_are_the_same_version_and_archive(folder: Path, tmp_path: Path) -> None:
    first = pack(folder)
    os.utime(folder / "main.py", (1, 1))
    (folder / "main.py").chmod(0o755)
    moved = folder.rename(tmp_path / "elsewhere")
    second = pack(moved)
    assert (first.digest, first.data) == (second.digest, second.data)


def test_another_byte_or_name_is_another_version(folder: Path) -> None:
    digests = {pack(folder).digest}
    (folder / "main.py").write_text("print('hello!')\n")
    digests.add(pack(folder).digest)
    (folder / "lib" / "table.txt").rename(folder / "lib" / "tables.txt")
    digests.add(pack(folder).digest)
    assert len(digests) == 3


def test_the_digest_keeps_names_and_contents_apart() -> None:
    assert digest_of({"a": b"bc"}) != digest_of({"ab": b"c"})


def test_caches_hidden_and_compiled_files_stay_out(folder: Path) -> None:
    before = pack(folder)
    (folder / "__pycache__").mkdir()
    (folder / "__pycache__" / "main.cpython-311.pyc").write_bytes(b"x")
    (folder / ".git").mkdir()
    (folder / ".git" / "config").write_text("x")
    (folder / ".env").write_text("SECRET=1")
    (folder / "old.pyc").write_bytes(b"x")
    assert pack(folder) == before


@pytest.mark.parametrize("content", [b"\0" * 3_000_000, b"abc" * 100_000])
def test_files_that_pack_extremely_well_come_out_again(
    folder: Path, tmp_path: Path, content: bytes
) -> None:
    (folder / "zeros.bin").write_bytes(content)
    bundle = pack(folder)
    extract(bundle.data, tmp_path / "out", bundle.digest)
    assert (tmp_path / "out" / "zeros.bin").read_bytes() == content


def cannot_be_packed(folder: Path) -> str:
    with pytest.raises(BundleError, match=r"^[^\n]+$") as error:
        pack(folder)
    return str(error.value)


def test_a_link_is_refused_and_not_followed(folder: Path) -> None:
    (folder / "secret").symlink_to("/etc/passwd")
    assert "'secret' is a link; put the file itself there" in cannot_be_packed(folder)


def test_a_linked_folder_is_refused(folder: Path) -> None:
    (folder / "lib" / "up").symlink_to(folder)
    assert "'lib/up' is a link" in cannot_be_packed(folder)


def test_a_pipe_is_refused_and_does_not_hang(folder: Path) -> None:
    os.mkfifo(folder / "pipe")
    assert "'pipe' is no regular file" in cannot_be_packed(folder)


def test_too_many_bytes_are_refused(folder: Path) -> None:
    for number in range(3):
        with (folder / f"{number}.bin").open("wb") as file:
            file.truncate(MAX_BYTES // 2)
    assert "over 20 MiB" in cannot_be_packed(folder)


def test_too_many_files_are_refused(folder: Path) -> None:
    for number in range(MAX_FILES):
        (folder / f"{number}.txt").touch()
    assert "over 2000 files" in cannot_be_packed(folder)


@pytest.mark.parametrize("name", ["a\nb.txt", "a\\b.txt", "a:b.txt", "x" * 201, "tab\t.txt"])
def test_an_odd_file_name_is_refused_in_one_line(folder: Path, name: str) -> None:
    (folder / name).write_text("x")
    assert "rename it" in cannot_be_packed(folder)


def test_a_file_name_that_is_not_utf8_is_refused(folder: Path) -> None:
    Path(os.fsdecode(os.fsencode(folder) + b"/\xff.txt")).write_text("x")
    assert "not UTF-8" in cannot_be_packed(folder)


def test_folders_nested_without_end_are_refused(folder: Path) -> None:
    deep = folder
    for _ in range(60):
        deep = deep / "deep"
        deep.mkdir()
    assert "nested too deep" in cannot_be_packed(folder)


def test_a_hidden_entry_is_refused_since_it_would_not_be_packed(folder: Path) -> None:
    (folder / ".main.py").write_text("")
    (folder / "bot.toml").write_text('name = "tester"\nentry = ".main.py"\n')
    assert 'the entry ".main.py"' in cannot_be_packed(folder)


def test_a_broken_manifest_is_a_bundle_error(folder: Path) -> None:
    (folder / "bot.toml").write_text('name = "tester"\nnmae = 1\n')
    assert "nmae" in cannot_be_packed(folder)


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    assert str(tmp_path / "nowhere") in cannot_be_packed(tmp_path / "nowhere")


@pytest.mark.parametrize(
    "name",
    ["../up.py", "/abs.py", "a/../../b", "a//b", "./a", "a/", "", "C:\\x", "a\\b", "..", "a\x07b"],
)
def test_a_path_that_leads_elsewhere_is_refused(tmp_path: Path, name: str) -> None:
    assert "the archive cannot be used" in refused(archive((name, b"x")), tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("kind", [stat.S_IFLNK, stat.S_IFDIR, stat.S_IFIFO, stat.S_IFCHR])
def test_what_is_no_regular_file_is_refused(tmp_path: Path, kind: int) -> None:
    data = archive(("main.py", b"/etc/passwd"), mode=kind | 0o777)
    assert "is no regular file" in refused(data, tmp_path / "out")


def test_a_bomb_is_refused_by_its_ratio(tmp_path: Path) -> None:
    data = archive(("bomb", b"\0" * 10_000_000))
    assert len(data) < 20_000
    assert "packed over 100 to 1" in refused(data, tmp_path / "out")


def test_too_much_in_sum_is_refused(tmp_path: Path) -> None:
    rng = random.Random(1)
    part = rng.randbytes(400_000) * 20
    data = archive(*((f"{number}", part) for number in range(3)))
    assert "over 20 MiB" in refused(data, tmp_path / "out")


def test_stated_sizes_are_not_believed(tmp_path: Path) -> None:
    data = bytearray(archive(("bomb", b"\0" * 30_000_000)))
    place = data.rfind(b"PK\x01\x02")
    data[place + 24 : place + 28] = (1000).to_bytes(4, "little")
    assert "the archive is broken: " in refused(bytes(data), tmp_path / "out")


def test_too_many_entries_are_refused(tmp_path: Path) -> None:
    data = archive(*((f"{number}", b"") for number in range(MAX_FILES + 1)))
    assert "over 2000 files" in refused(data, tmp_path / "out")


def test_a_name_that_is_there_twice_is_refused(tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match="Duplicate"):
        data = archive(("main.py", b"good"), ("main.py", b"evil"))
    assert "is there twice" in refused(data, tmp_path / "out")


def test_a_file_that_is_also_a_folder_is_refused(tmp_path: Path) -> None:
    data = archive(("a", b"file"), ("a/b", b"in it"))
    assert "both file and folder" in refused(data, tmp_path / "out")


def test_an_encrypted_file_is_refused(tmp_path: Path) -> None:
    data = bytearray(archive(("main.py", b"x")))
    for mark, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.find(mark) + place] |= 1
    assert "encrypted" in refused(bytes(data), tmp_path / "out")


def test_other_files_than_the_digest_says_are_refused(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(BundleError, match="does not hold bot version abababab"):
        extract(pack(folder).data, tmp_path / "out", "ab" * 32)
    assert not (tmp_path / "out").exists()


def test_a_folder_with_something_in_it_is_not_unpacked_into(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(BundleError, match="is not empty"):
        extract(pack(folder).data, folder)


def test_no_change_of_any_byte_breaks_anything_but_the_archive(
    folder: Path, tmp_path: Path
) -> None:
    bundle: Bundle = pack(folder)
    rng = random.Random(7)
    for number in range(1000):
        data = bytearray(bundle.data)
        for _ in range(rng.randint(1, 3)):
            data[rng.randrange(len(data))] = rng.randrange(256)
        try:
            extract(bytes(data[: rng.choice([None, rng.randrange(len(data))])]), tmp_path / "x")
        except BundleError as error:
            assert "\n" not in str(error)
        else:
            (tmp_path / "x").rename(tmp_path / f"fine-{number}")
