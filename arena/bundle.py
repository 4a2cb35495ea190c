"""Bots as archives: packed from a folder, stored by digest, unpacked with suspicion.

The digest is taken over the files' paths and bytes, not over the archive, so that identical files
are one version whoever packs them and with whichever zlib. What is unpacked was either packed here
or sent by somebody: nothing in the archive is believed before it has been checked, and everything
is counted again while it is inflated.
"""

from __future__ import annotations

import io
import os
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path, PurePosixPath

from dominobot.errors import ManifestError
from dominobot.manifest import Manifest, read_manifest

from arena.core.ids import fields_hash
from arena.core.version import BotVersion
from arena.errors import BundleError

MAX_BYTES = 20 * 1024 * 1024
MAX_FILES = 2000
MAX_PATH_BYTES = 200
MAX_RATIO = 100
"""How much smaller a file may be packed than it is: more is the mark of a zip bomb."""

SKIPPED = ("__pycache__",)
_SKIPPED_ENDINGS = (".pyc", ".pyo")
_RATIO_FROM = 64 * 1024
_EPOCH = (1980, 1, 1, 0, 0, 0)
_CHUNK = 64 * 1024
_BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    NotImplementedError,
    RuntimeError,
    ValueError,
    OSError,
)


@dataclass(frozen=True)
class Bundle:
    """A bot's files as a zip archive, with what its manifest says."""

    version: BotVersion
    manifest: Manifest
    data: bytes

    @property
    def name(self) -> str:
        """The bot's name."""
        return self.version.name

    @property
    def digest(self) -> str:
        """The digest of its files, 64 hex digits."""
        return self.version.digest


def pack(folder: Path | str) -> Bundle:
    """Pack a bot folder. The same files always give the same digest and archive.

    ``__pycache__``, compiled Python and everything whose name starts with a dot stay out.

    Raises:
        BundleError: the manifest cannot be used, there is a link or a special file, too many
            files or bytes, a name that cannot be packed, or a file that cannot be read.
    """
    folder = Path(folder)
    try:
        manifest = read_manifest(folder)
    except ManifestError as error:
        raise BundleError(str(error)) from error
    files = _read_files(folder)
    if str(PurePosixPath(manifest.entry)) not in files:
        raise BundleError(
            f'{folder}: the entry "{manifest.entry}" is a file that is not packed '
            "(hidden or compiled); rename it"
        )
    size = sum(len(data) for data in files.values())
    described = {
        key: list(value) if isinstance(value, tuple) else value
        for key, value in asdict(manifest).items()
    }
    version = BotVersion(manifest.name, digest_of(files), described, size, len(files))
    return Bundle(version, manifest, _archive(files))


def digest_of(files: Mapping[str, bytes]) -> str:
    """The digest of a bot's files by path: 64 hex digits."""
    fields = (part for path in sorted(files) for part in (path, files[path]))
    return fields_hash("bundle", *fields).hex()


def extract(data: bytes, target: Path, digest: str | None = None) -> None:
    """Unpack an archive into a new or empty folder: regular files only, readable by everybody.

    Raises:
        BundleError: the archive is broken or holds what no bundle may; the files are not those of
            ``digest``; the folder is not empty or cannot be written. Nothing is written before
            the whole archive has been checked.
    """
    files = _inflate(data)
    if digest is not None and digest_of(files) != digest:
        raise BundleError(f"the archive does not hold bot version {digest[:8]}; submit it again")
    try:
        target.mkdir(parents=True, exist_ok=True)
        if any(target.iterdir()):
            raise BundleError(f"{target} is not empty; a bot is unpacked into a folder of its own")
        target.chmod(0o755)
        for path, content in sorted(files.items()):
            _write_file(target, PurePosixPath(path), content)
    except OSError as error:
        raise BundleError(f"{target} cannot be written: {error.strerror or error}") from error


def _read_files(folder: Path) -> dict[str, bytes]:
    files: dict[str, bytes] = {}
    size = 0
    for path in _walk(folder, folder):
        name = path.relative_to(folder).as_posix()
        problem = _name_problem(name)
        if problem:
            raise BundleError(f"{folder}: the file {name!a} {problem}; rename it")
        files[name] = _read(path, MAX_BYTES - size, folder)
        size += len(files[name])
        if len(files) > MAX_FILES:
            raise BundleError(
                f"{folder} has over {MAX_FILES} files; take out what it does not need"
            )
    return files


def _walk(folder: Path, top: Path) -> Iterator[Path]:
    """The files below a folder, sorted; links and special files are refused, not followed."""
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError as error:
        raise BundleError(f"{folder} cannot be read: {error.strerror}") from error
    for entry in entries:
        if entry.name.startswith(".") or entry.name in SKIPPED:
            continue
        if entry.name.endswith(_SKIPPED_ENDINGS):
            continue
        if entry.is_symlink():
            raise BundleError(f"{top}: {_shown(entry, top)} is a link; put the file itself there")
        if entry.is_dir(follow_symlinks=False):
            # Checked for folders too, or folders without a file could be nested without end.
            if len(os.fsencode(Path(entry.path).relative_to(top))) > MAX_PATH_BYTES:
                raise BundleError(f"{top}: {_shown(entry, top)} is nested too deep; move it up")
            yield from _walk(Path(entry.path), top)
        elif entry.is_file(follow_symlinks=False):
            yield Path(entry.path)
        else:
            raise BundleError(f"{top}: {_shown(entry, top)} is no regular file; take it out")


def _shown(entry: os.DirEntry[str], top: Path) -> str:
    return ascii(Path(entry.path).relative_to(top).as_posix())


def _read(path: Path, room: int, top: Path) -> bytes:
    """The bytes of a regular file that was one when it was listed, and is one now."""
    try:
        number = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(number, "rb") as file:
            if not stat.S_ISREG(os.fstat(number).st_mode):
                raise BundleError(f"{path} is no regular file; take it out")
            data = file.read(room + 1)
    except OSError as error:
        raise BundleError(f"{path} cannot be read: {error.strerror}") from error
    if len(data) > room:
        raise BundleError(
            f"{top} has over {MAX_BYTES // 1024**2} MiB of files; take out what it does not need"
        )
    return data


def _archive(files: Mapping[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for path in sorted(files):
            info = zipfile.ZipInfo(path, _EPOCH)
            info.create_system = 3
            info.external_attr = (stat.S_IFREG | 0o644) << 16
            info.compress_type = zipfile.ZIP_DEFLATED
            if len(zlib.compress(files[path])) * MAX_RATIO < 2 * len(files[path]):
                info.compress_type = zipfile.ZIP_STORED  # or unpacking would refuse it
            archive.writestr(info, files[path])
    return buffer.getvalue()


def _inflate(data: bytes) -> dict[str, bytes]:
    """All files of an archive, checked."""
    files: dict[str, bytes] = {}
    room = MAX_BYTES
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = archive.infolist()
            if len(entries) > MAX_FILES:
                raise BundleError(f"the archive has over {MAX_FILES} files")
            for info in entries:
                _check_entry(info, files)
                files[info.filename] = _inflate_file(archive, info, room)
                room -= len(files[info.filename])
    except _BROKEN as error:
        raise BundleError(f"the archive is broken: {error}") from error
    _check_no_file_is_a_folder(files)
    return files


def _check_entry(info: zipfile.ZipInfo, files: Mapping[str, bytes]) -> None:
    shown = ascii(info.filename[:100])
    problem = _name_problem(info.filename)
    if info.filename != info.orig_filename:
        problem = "has a name that is not what it seems"
    elif info.filename in files:
        problem = "is there twice"
    elif info.external_attr >> 16 and not stat.S_ISREG(info.external_attr >> 16):
        problem = "is no regular file"
    elif info.flag_bits & 0x1:
        problem = "is encrypted"
    elif info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        problem = "is packed in a way that is not supported"
    if problem:
        raise BundleError(f"the archive cannot be used: {shown} {problem}")


def _name_problem(name: str) -> str:
    """What is wrong with a path inside a bundle; empty if nothing."""
    try:
        encoded = name.encode()
    except UnicodeEncodeError:
        return "has a name that is not UTF-8"
    parts = name.split("/")
    if not name or any(part in ("", ".", "..") for part in parts):
        return "has a path that is not plain"
    if "\\" in name or ":" in name or not name.isprintable():
        return "has a character in its name that cannot be used"
    if len(encoded) > MAX_PATH_BYTES:
        return f"has a path of over {MAX_PATH_BYTES} bytes"
    return ""


def _inflate_file(archive: zipfile.ZipFile, info: zipfile.ZipInfo, room: int) -> bytes:
    """One file, never reading further than its limits: its stated sizes are not believed."""
    content = bytearray()
    packed = max(1, info.compress_size)
    with archive.open(info) as file:
        while chunk := file.read(_CHUNK):
            content += chunk
            if len(content) > room:
                raise BundleError(f"the archive unpacks to over {MAX_BYTES // 1024**2} MiB")
            if len(content) > max(_RATIO_FROM, packed * MAX_RATIO):
                raise BundleError(
                    f"the archive cannot be used: {info.filename!a} is packed over {MAX_RATIO} to 1"
                )
    return bytes(content)


def _check_no_file_is_a_folder(files: Mapping[str, bytes]) -> None:
    for path in files:
        for parent in PurePosixPath(path).parents:
            if str(parent) in files:
                raise BundleError(
                    f"the archive cannot be used: {str(parent)!a} is both file and folder"
                )


def _write_file(target: Path, path: PurePosixPath, content: bytes) -> None:
    folder = target
    for part in path.parent.parts:
        folder /= part
        folder.mkdir(exist_ok=True)
        folder.chmod(0o755)
    file = target / path
    file.write_bytes(content)
    file.chmod(0o644)
