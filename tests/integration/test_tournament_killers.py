"""Bots that end their worker: every match ends all the same, and nobody else pays for it."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.core.results import rated
from arena.core.verdict import Termination
from arena.store import Store
from tests.integration.test_tournament import Played, clean
from tests.support import by_hand

__all__ = ["clean"]

KILLER = """
def worker():
    for stat in __import__("glob").glob("/proc/[0-9]*/stat"):
        try:
            parent = open(stat).read().rpartition(")")[2].split()[1]
            command = open(stat.replace("stat", "cmdline")).read()
        except OSError:
            continue
        if int(parent) == os.getppid() and "arena.executors.worker" in command:
            return int(stat.split("/")[2])

def kill(message):
    if WHEN:
        os.kill(worker(), 9)
    return ready(message)

serve(on_start=kill)
"""
"""Without a sandbox a bot can do what in a sandbox would take a hole: end its own worker."""


@pytest.mark.usefixtures("clean")
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_bot_that_always_ends_its_worker_costs_its_own_matches_and_the_tournament_ends(
    jobs: int, tmp_path: Path
) -> None:
    folders = [
        by_hand(tmp_path / "ada", KILLER.replace("WHEN", "True")),
        by_hand(tmp_path / "bix", "serve()"),
        by_hand(tmp_path / "cleo", "serve()"),
    ]
    alone = jobs == 1  # with nobody else's records in between
    played = Played(tmp_path / "a.db", folders[:2] if alone else folders, deals=1)
    played.go(jobs=jobs)
    with Store.open(played.db) as store:
        results = store.results("t")
        evidence = store.match("1").evidence
    assert len(results) == (2 if alone else 6)
    of_ada = [result for result in results if 0 in result.seating]
    assert {result.termination for result in of_ada} == {Termination.ARENA_FAULT}
    assert {(result.ranks, result.faulty_seat) for result in of_ada} == {((1, 1), None)}
    others = [result for result in results if 0 not in result.seating]
    assert rated(results) == others
    assert all(result.termination is Termination.TARGET_REACHED for result in others)
    assert evidence is not None
    assert evidence.detail == "the worker process ended"
    faults = [record for record in played.records if record.verdict.ranks == (1, 1)]
    assert len(faults) <= 3 * len(of_ada), "bounded"


@pytest.mark.usefixtures("clean")
def test_a_match_that_always_ends_its_worker_costs_its_own_deal_only(tmp_path: Path) -> None:
    # The seeds of a match hang on the digest of the bot, so it reads elsewhere which one it is.
    seeds = tmp_path / "seeds"
    when = f"message.game_start.bot_seed in eval(open({str(seeds)!r}).read())"
    folders = [
        by_hand(tmp_path / "ada", KILLER.replace("WHEN", when)),
        by_hand(tmp_path / "bix", "serve()"),
    ]
    played = Played(tmp_path / "a.db", folders, deals=3)
    target = played.plan[0].matches[1]
    seeds.write_text(repr(target.bot_seeds))
    played.go()
    with Store.open(played.db) as store:
        results = store.results("t")
    failed = [r for r in results if r.termination is Termination.ARENA_FAULT]
    assert [result.match_id for result in failed] == [target.match_id]
    assert len(results) == 6
    assert {result.unit for result in results} - {r.unit for r in rated(results)} == {target.unit}
