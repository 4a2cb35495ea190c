"""The .proto files against buf's rules and against the last release."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from dominobot.wire.v1 import match_pb2 as pb
from google.protobuf.descriptor_pb2 import FileDescriptorProto, FileDescriptorSet

ROOT = Path(__file__).parents[2]
BUF = Path(sys.executable).with_name("buf")
RELEASE = ROOT / "proto/release/v1.binpb"
MATCH = Path("dominobot/wire/v1/match.proto")


def buf(*arguments: str | Path, cache: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [BUF, *arguments],
        capture_output=True,
        text=True,
        check=False,
        env={"HOME": str(cache), "PATH": "/usr/bin:/bin"},
    )


def edited(folder: Path, old: str, new: str) -> Path:
    """A copy of the .proto files with one text replaced."""
    copy = folder / "proto"
    shutil.copytree(ROOT / "proto", copy)
    text = (copy / MATCH).read_text()
    assert text.count(old) == 1
    (copy / MATCH).write_text(text.replace(old, new))
    return copy


def test_the_files_follow_the_rules_of_style(tmp_path: Path) -> None:
    result = buf("lint", ROOT / "proto", cache=tmp_path)
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")


def test_the_files_break_no_released_client(tmp_path: Path) -> None:
    result = buf("breaking", ROOT / "proto", "--against", RELEASE, cache=tmp_path)
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("string note = 4;", "string note = 5;", 'Previously present field "4" with name "note"'),
        ("uint32 bank_ms = 11;", "uint64 bank_ms = 11;", "changed type"),
        ("END_RIGHT = 3;", "END_RIGHT = 4;", "Previously present enum value"),
        ("Goodbye goodbye = 5;", "", 'Previously present field "5"'),
    ],
)
def test_a_change_that_breaks_a_released_client_is_found(
    old: str, new: str, said: str, tmp_path: Path
) -> None:
    result = buf("breaking", edited(tmp_path, old, new), "--against", RELEASE, cache=tmp_path)
    assert result.returncode == 100
    assert said in result.stdout


def test_a_field_may_be_added(tmp_path: Path) -> None:
    new = "string note = 4;\n  // More.\n  uint32 more = 5;"
    proto = edited(tmp_path, "string note = 4;", new)
    assert buf("breaking", proto, "--against", RELEASE, cache=tmp_path).returncode == 0


def test_an_undocumented_field_is_found(tmp_path: Path) -> None:
    proto = edited(tmp_path, "string note = 4;", "string note = 4;\n  uint32 more = 5;")
    result = buf("lint", proto, cache=tmp_path)
    assert result.returncode == 100
    assert "comment" in result.stdout


def test_the_committed_code_is_made_from_these_files(tmp_path: Path) -> None:
    image = tmp_path / "image.binpb"
    result = buf("build", ROOT / "proto", "--exclude-source-info", "-o", image, cache=tmp_path)
    assert result.returncode == 0, result.stderr
    [built] = FileDescriptorSet.FromString(image.read_bytes()).file
    built.DiscardUnknownFields()
    for message in built.message_type:
        for field in message.field:
            field.ClearField("json_name")
    committed = FileDescriptorProto.FromString(pb.DESCRIPTOR.serialized_pb)
    assert committed == built, "run proto/generate.sh"
