"""``arena run`` from outside: the same result however it is played, and nothing lost or doubled."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from arena.sandbox.base import Level
from arena.store import Store
from tests.support import SAMPLES, leftovers, need, traces

BOTS = [str(SAMPLES / name) for name in ("random", "heaviest", "counter")]
PLAIN = ["--sandbox", "plain"]


def arena(*args: str, db: Path, expect: int = 0) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [sys.executable, "-m", "arena", *args, "--db", str(db)],
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == expect, done.stdout + done.stderr
    return done


def run(*args: str, db: Path, expect: int = 0) -> subprocess.CompletedProcess[str]:
    return arena(
        "run", *BOTS, "--deals", "4", "--seed", "7", "--name", "t", *args, db=db, expect=expect
    )


def outcome(db: Path) -> tuple[Any, ...]:
    """Everything that must not depend on how it was played."""
    with Store.open(db) as store:
        head = store.finish("t")
        results = store.results("t")
        replays = [json.loads(store.replay(result.match_id))["core"] for result in results]
    board = json.loads(arena("board", "--json", db=db).stdout)
    return head, results, replays, board


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, ...]:
    db = tmp_path_factory.mktemp("reference") / "a.db"
    run(*PLAIN, "--jobs", "1", db=db)
    return outcome(db)


def test_two_workers_give_the_same_results_and_ratings_as_one(
    reference: tuple[Any, ...], tmp_path: Path
) -> None:
    run(*PLAIN, "--jobs", "2", db=tmp_path / "a.db")
    assert outcome(tmp_path / "a.db") == reference


@pytest.mark.sandbox
def test_the_sandbox_changes_the_level_and_nothing_else(
    reference: tuple[Any, ...], tmp_path: Path
) -> None:
    need(Level.FULL)
    before = traces()
    run("--jobs", "2", db=tmp_path / "a.db")
    head, results, _, _ = outcome(tmp_path / "a.db")
    assert head == reference[0]
    assert {result.level for result in results} == {"full"}
    assert leftovers(before) == {}


def start(db: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [
            sys.executable,
            "-m",
            "arena",
            "run",
            *BOTS,
            *PLAIN,
            "--deals",
            "4",
            "--seed",
            "7",
            "--name",
            "t",
            "--jobs",
            "2",
            "--db",
            str(db),
            "--no-trial",
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def wait_for_matches(db: Path, process: subprocess.Popen[str], count: int) -> int:
    """Wait until some matches are stored, while the run goes on. Returns how many there are."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and process.poll() is None:
        if db.exists():
            try:
                with Store.open(db) as store:
                    done = len(store.results("t")) if store.tournaments() else 0
            except Exception:  # the file is just being made
                done = 0
            if done >= count:
                return done
        time.sleep(0.02)
    raise AssertionError(f"it ended too soon: {process.communicate()[0]}")


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_a_run_that_was_stopped_in_the_middle_goes_on_without_a_lost_or_doubled_game(
    number: signal.Signals, reference: tuple[Any, ...], tmp_path: Path
) -> None:
    db = tmp_path / "a.db"
    before = traces()
    process = start(db)
    wait_for_matches(db, process, 3)
    os.kill(process.pid, number)
    output, _ = process.communicate(timeout=30)
    if number is not signal.SIGKILL:
        assert process.returncode == 130
        assert "run the same command to go on" in output
    with Store.open(db) as store:
        saved = len(store.results("t"))
        assert 3 <= saved < 24
    assert leftovers(before) == {}
    again = run(*PLAIN, "--no-trial", db=db)
    assert "Going on with t" in again.stdout
    assert outcome(db) == reference


def test_a_finished_tournament_is_shown_and_not_played_again(tmp_path: Path) -> None:
    db = tmp_path / "a.db"
    first = run(*PLAIN, "--no-trial", db=db)
    again = run(*PLAIN, db=db)
    assert "t is finished" in again.stdout
    assert first.stdout.splitlines()[-8:] == again.stdout.splitlines()[-8:]


def test_a_known_name_with_anything_else_is_refused_by_what_differs(tmp_path: Path) -> None:
    db = tmp_path / "a.db"
    run(*PLAIN, "--no-trial", db=db)
    done = run(*PLAIN, "--no-trial", "--deals", "5", db=db, expect=2)
    assert "deals" in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_database_that_others_may_read_is_warned_of_in_one_line(tmp_path: Path) -> None:
    db = tmp_path / "a.db"
    assert "other users may read it" not in run(*PLAIN, "--no-trial", db=db).stdout
    db.chmod(0o644)
    again = arena("run", *BOTS, "--deals", "1", "--name", "u", *PLAIN, "--no-trial", db=db).stdout
    assert f"{db} holds the secret seed, and other users may read it: chmod 600 {db}\n" in again


def test_the_text_of_a_tournament_file_is_kept_with_what_flags_changed(tmp_path: Path) -> None:
    file, db = tmp_path / "friday.toml", tmp_path / "a.db"
    text = (
        "# for the autumn fair\n"
        'name = "friday"   # when it is\n'
        'target = "none"\ndeals = 2\nsandbox = "plain"\n'
        f"bots = {json.dumps(BOTS)}\n[options]\n\treserve = 1\n"
    )
    file.write_text(text)
    arena("run", str(file), "--deals", "1", "--option", "reserve=2", "--no-trial", db=db)
    shown = arena("show", "--config", db=db).stdout
    assert shown == text + (
        "\n# Given on the command line, where it wins over the above:\n"
        "# deals = 1\n#\n# [options]\n# reserve = 2\n"
    )
    with Store.open(db) as store:
        stored = store.tournament("friday").tournament
        assert (stored.deals, stored.variant.reserve) == (1, 2)


def test_a_tournament_file_takes_everything_and_is_stored_with_the_result(tmp_path: Path) -> None:
    file = tmp_path / "friday.toml"
    file.write_text(
        'name = "friday"\nvariant = "coffret"\nseats = 3\ntarget = "none"\ndeals = 2\n'
        f'sandbox = "plain"\nbots = {json.dumps(BOTS)}\n\n[options]\nreserve = 1\n'
    )
    db = tmp_path / "a.db"
    arena("run", str(file), "--no-trial", db=db)
    shown = arena("show", "--config", db=db).stdout
    assert 'variant = "coffret"' in shown
    assert "reserve = 1" in shown
    with Store.open(db) as store:
        stored = store.tournament("friday")
        assert stored.tournament.variant.reserve == 1
        assert stored.tournament.variant.target is None
        assert len(store.results("friday")) == 6
