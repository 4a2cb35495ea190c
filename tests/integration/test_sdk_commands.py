"""What an author types, as processes of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from click.testing import CliRunner, Result
from dominobot.cli.main import cli
from dominobot.manifest import read_manifest

SAMPLES = Path(__file__).parents[2] / "sample_bots"


def dominobot(*arguments: str | Path) -> Result:
    return CliRunner().invoke(cli, list(map(str, arguments)), prog_name="dominobot")


def modules_after(statement: str) -> set[str]:
    code = f"{statement}\nimport sys\nprint(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(run.stdout.split())


def test_a_new_bot_is_short_and_plays_and_its_test_passes(tmp_path: Path) -> None:
    result = dominobot("new", "my-bot", "--dir", tmp_path)
    assert result.exit_code == 0, result.output
    folder = tmp_path / "my-bot"
    assert len((folder / "main.py").read_text().splitlines()) <= 15
    assert "class MyBot(Bot):" in (folder / "main.py").read_text()
    assert read_manifest(folder).name == "my-bot"
    assert dominobot("play", folder, SAMPLES / "random", "--games", "4").exit_code == 0
    tested = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(folder)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert tested.returncode == 0, tested.stdout
    assert "2 passed" in tested.stdout


def test_an_error_is_one_line_on_stderr_and_exit_code_2(tmp_path: Path) -> None:
    command = Path(sys.executable).with_name("dominobot")
    left = subprocess.run(
        [command, "play", "a", "b"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert left.returncode == 2
    assert left.stdout == ""
    assert left.stderr == (
        "error: a: no such folder; `dominobot new NAME` writes a working bot folder\n"
    )


def test_run_by_hand_names_the_folder_as_one_would_type_it(tmp_path: Path) -> None:
    bot = tmp_path / "my-bot"
    bot.mkdir()
    (bot / "main.py").write_text(
        "from dominobot import Bot, run\nclass B(Bot):\n    def choose(self, view): ...\nrun(B)\n"
    )
    environment = {k: v for k, v in os.environ.items() if not k.startswith("DOMINOBOT_")}
    left = subprocess.run(
        [sys.executable, "my-bot/main.py"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert left.returncode == 2
    assert "dominobot play my-bot OTHER_BOT_FOLDER" in left.stderr
    assert left.stdout == ""


def test_import_dominobot_brings_no_grpc_and_no_protobuf() -> None:
    modules = modules_after("import dominobot")
    assert "dominobot.runner" in modules
    assert not {"grpc", "google.protobuf", "asyncio", "click", "tomllib"} & modules


def test_import_of_the_test_helpers_brings_no_grpc() -> None:
    assert not {"grpc", "google.protobuf"} & modules_after("import dominobot.testing")


def test_the_command_brings_no_grpc() -> None:
    assert not {"grpc", "google.protobuf"} & modules_after("import dominobot.cli.play")
