"""Bad input to ``arena run``: one line that names the thing and the way out, exit code 2."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from arena.store import Store
from tests.support import SAMPLES

RANDOM, HEAVIEST = str(SAMPLES / "random"), str(SAMPLES / "heaviest")


def refused(*args: str, cwd: Path) -> str:
    """Run it, and give the one line of error."""
    done = subprocess.run(
        [sys.executable, "-m", "arena", "run", *args, "--sandbox", "plain"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        cwd=cwd,
    )
    assert done.returncode == 2, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    lines = done.stderr.strip().splitlines()
    errors = [line for line in lines if line.lower().startswith("error")]
    assert len(errors) == 1, done.stderr
    return errors[0]


def bot(folder: Path, manifest: str, code: str = "") -> str:
    folder.mkdir()
    (folder / "bot.toml").write_text(manifest)
    (folder / "main.py").write_text(code)
    return str(folder)


@pytest.mark.parametrize(
    ("args", "named"),
    [
        ([], "no bots given"),
        ([RANDOM, HEAVIEST, "--deals", "0"], "deals"),
        ([RANDOM, HEAVIEST, "--variant", "poker"], "poker"),
        ([RANDOM, HEAVIEST, "--option", "jokers=2"], "jokers"),
        ([RANDOM, HEAVIEST, "--option", "reserve"], "reserve"),
        ([RANDOM, HEAVIEST, "--option", "reserve=--5"], "reserve"),
        ([RANDOM, HEAVIEST, "--option", "reserve=²"], "reserve"),
        ([RANDOM, HEAVIEST, "--option", f"reserve={'9' * 5000}"], "reserve"),
        ([RANDOM, HEAVIEST, "--option", "=3"], "option"),
        ([RANDOM, HEAVIEST, "--option", "seats=4"], "seats"),
        ([RANDOM, HEAVIEST, "--option", "name=x"], "name"),
        ([RANDOM, HEAVIEST, "--option", "target=5"], "target"),
        ([RANDOM, HEAVIEST, "--target", "²"], "²"),
        ([RANDOM, HEAVIEST, "--target", "9" * 5000], "999"),
        ([RANDOM, HEAVIEST, "--tables", "²"], "²"),
        ([RANDOM, HEAVIEST, "--tables", "--5"], "--5"),
        ([RANDOM, HEAVIEST, "--seats", "5"], "seats"),
        ([RANDOM, HEAVIEST, "--seats", "3"], "at least 3 bots"),
        ([RANDOM, HEAVIEST, "--target", "many"], "many"),
        ([RANDOM, HEAVIEST, "--target", "0"], "target"),
        ([RANDOM, HEAVIEST, "--tables", "some"], "some"),
        ([RANDOM, HEAVIEST, "--move-time", "0"], "move"),
        ([RANDOM, HEAVIEST, "--name", "a b"], "a b"),
        ([RANDOM, HEAVIEST, "--jobs", "0"], "jobs"),
        ([RANDOM, RANDOM], "random"),
        ([RANDOM, "no/such/folder"], "no/such/folder"),
        ([RANDOM, HEAVIEST, "--db", "missing/folder/a.db"], "missing/folder"),
        (["missing.toml"], "missing.toml"),
    ],
)
def test_bad_input_is_one_line_that_names_it(args: list[str], named: str, tmp_path: Path) -> None:
    assert named in refused(*args, cwd=tmp_path)
    assert list(tmp_path.iterdir()) == [], "nothing half-written"


@pytest.mark.parametrize(
    ("manifest", "named"),
    [
        ("name = 'x'\ncolour = 'red'\n", "colour"),
        ("name = 'a b'\n", "a b"),
        ("name = [\n", "bot.toml"),
        ("name = 'x'\nentry = 'other.py'\n", "other.py"),
        ("name = 'x'\nvariants = ['kawu']\n", "famille"),
        ("name = 'x'\nseats = [4]\n", "seats"),
        ("name = 'x'\nrequirements = ['torch']\n", "torch"),
    ],
)
def test_a_broken_manifest_is_named_by_file_and_key(
    manifest: str, named: str, tmp_path: Path
) -> None:
    folder = bot(tmp_path / "mine", manifest)
    assert named in refused(folder, RANDOM, "--db", str(tmp_path / "a.db"), cwd=tmp_path)
    assert not (tmp_path / "a.db").exists()


def test_a_bot_that_fails_its_trial_stops_the_run_with_its_last_lines(tmp_path: Path) -> None:
    code = "print('dear author')\nraise ValueError('no such strategy')\n"
    folder = bot(tmp_path / "mine", "name = 'mine'\n", code)
    done = subprocess.run(
        [sys.executable, "-m", "arena", "run", folder, RANDOM, "--sandbox", "plain"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        cwd=tmp_path,
    )
    assert done.returncode == 2
    assert "mine cannot finish a trial round: NO_SHOW" in done.stderr
    assert "dear author" in done.stderr
    assert "ValueError: no such strategy" in done.stderr
    assert "--no-trial" in done.stderr
    assert not (tmp_path / "arena.db").exists()


def test_a_bot_that_fails_its_trial_can_be_entered_all_the_same(tmp_path: Path) -> None:
    folder = bot(tmp_path / "mine", "name = 'mine'\n", "raise SystemExit(4)\n")
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "arena",
            "run",
            folder,
            RANDOM,
            "--sandbox",
            "plain",
            "--deals",
            "2",
            "--no-trial",
        ],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    assert "4 faults" in done.stdout


def test_a_database_that_is_not_ours_is_refused_and_left_alone(tmp_path: Path) -> None:
    foreign = tmp_path / "foreign.db"
    with sqlite3.connect(foreign) as connection:
        connection.execute("create table cats (name text)")
    connection.close()
    before = foreign.read_bytes()
    assert "foreign.db" in refused(RANDOM, HEAVIEST, "--db", str(foreign), cwd=tmp_path)
    assert foreign.read_bytes() == before


def test_a_bad_database_is_found_before_any_bot_is_tried(tmp_path: Path) -> None:
    slow = bot(tmp_path / "slow", "name = 'slow'\n", "import time\ntime.sleep(30)\n")
    (tmp_path / "text.db").write_text("dear diary, " * 10)
    for where in ("text.db", "missing/a.db", "."):
        assert refused(slow, RANDOM, "--db", where, cwd=tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {"slow", "text.db"}


def test_a_run_that_is_refused_leaves_the_database_as_it_was(tmp_path: Path) -> None:
    asked = [RANDOM, HEAVIEST, "--target", "none", "--deals", "1", "--name", "t", "--no-trial"]
    command = [sys.executable, "-m", "arena", "run", *asked, "--sandbox", "plain"]
    subprocess.run(command, cwd=tmp_path, capture_output=True, timeout=60, check=True)
    counter = str(SAMPLES / "counter")
    with Store.open(tmp_path / "arena.db") as store:
        before = store.bots(), store.tournaments()
    for changed in (
        [*asked, counter],
        [*asked, "--move-time", "2"],
        [*asked, "--bank", "2"],
        [*asked, "--deals", "2"],
        [*asked, "--seed", "2"],
    ):
        assert "is another one (" in refused(*changed, cwd=tmp_path)
        with Store.open(tmp_path / "arena.db") as store:
            assert (store.bots(), store.tournaments()) == before
    assert [path.name for path in tmp_path.iterdir()] == ["arena.db"]


def test_a_failing_trial_does_not_take_the_database_from_another_run(tmp_path: Path) -> None:
    """Both begin on a new file; one is in its trial while the other fails its own."""
    code = f"import time\ntime.sleep(2)\n{(SAMPLES / 'random' / 'main.py').read_text()}"
    slow = bot(tmp_path / "slow", "name = 'slow'\n", code)
    broken = bot(tmp_path / "broken", "name = 'broken'\n", "raise SystemExit(3)\n")
    rest = [HEAVIEST, "--target", "none", "--deals", "1", "--sandbox", "plain"]
    good = subprocess.Popen(
        [sys.executable, "-m", "arena", "run", slow, *rest, "--name", "good"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert "cannot finish a trial" in refused(broken, *rest, "--name", "bad", cwd=tmp_path)
    assert "is being played" in refused(slow, *rest, "--name", "good", cwd=tmp_path)
    output, _ = good.communicate(timeout=60)
    assert good.returncode == 0, output
    with Store.open(tmp_path / "arena.db") as store:
        assert [(line.name, line.played) for line in store.tournaments()] == [("good", 2)]
        assert [line.name for line in store.bots()] == ["heaviest", "slow"]


def test_an_unknown_key_of_a_tournament_file_is_named_with_the_known_ones(tmp_path: Path) -> None:
    file = tmp_path / "t.toml"
    file.write_text(f"bots = ['{RANDOM}', '{HEAVIEST}']\nspeed = 3\n")
    line = refused(str(file), cwd=tmp_path)
    assert "speed" in line
    assert "move_time" in line
