"""Tournaments that are disturbed: the same results, nothing lost, nothing left behind."""

from __future__ import annotations

import asyncio
import os
import signal
import sqlite3
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from dominobot.replay import verify
from dominobot.rules import Variant, commitment

from arena.bundle import pack
from arena.core.record import MatchRecord
from arena.core.results import rated
from arena.core.schedule import Tournament, plan
from arena.core.verdict import Termination
from arena.errors import ArenaError, StoreError
from arena.executors.local import LocalConfig, LocalExecutor
from arena.sandbox.base import Level, Limits
from arena.store import Store, Terms, engine
from arena.tournament import Conditions, TournamentRun
from tests.support import (
    QUICK,
    SAMPLES,
    backend_of,
    by_hand,
    leftovers,
    need,
    processes_of,
    traces,
    write_bot,
)

WORKER, SUPERVISOR = "arena.executors.worker", "arena.supervisor"
PAIR = (SAMPLES / "heaviest", SAMPLES / "doubles")

Seen = Callable[[MatchRecord], None]


class Played:
    """One tournament in one database, played in as many goes as it takes."""

    def __init__(
        self, db: Path, folders: Sequence[Path] = PAIR, *, deals: int = 12, seats: int = 2
    ) -> None:
        self.db = db
        self.bundles = [pack(folder) for folder in folders]
        variant = Variant.preset("famille", seats=seats, target=None)
        refs = tuple(bundle.version.ref for bundle in self.bundles)
        self.tournament = Tournament("t", variant, refs, deals, None, b"m" * 32)
        self.plan = plan(self.tournament)
        self.records: list[MatchRecord] = []

    def go(
        self,
        seen: Seen = lambda record: None,
        *,
        level: Level = Level.UNSAFE,
        jobs: int = 1,
        limits: Limits | None = None,
    ) -> str:
        """Play what is pending; the head of the chain."""
        config = LocalConfig(
            jobs,
            level,
            backend_of(level),
            {bundle.digest: bundle for bundle in self.bundles},
            limits or Limits(),
        )

        def note(record: MatchRecord) -> None:
            self.records.append(record)
            seen(record)

        async def play() -> str:
            executor = LocalExecutor(config)
            await executor.start()
            try:
                conditions = Conditions(QUICK, level.value)
                run = TournamentRun(store, self.tournament, self.plan, executor, conditions)
                async with asyncio.timeout(100):
                    return await run.play(note)
            finally:
                await executor.close()

        with Store.open(self.db, create=True) as store:
            for bundle in self.bundles:
                store.add_version(bundle.version, bundle.data)
            terms = Terms(b"s" * 32, commitment(b"s" * 32, b"m" * 32))
            store.begin(self.tournament, terms, self.plan)
            return asyncio.run(play())

    def outcome(self) -> Any:
        """Everything that must not depend on what happened on the way."""
        with Store.open(self.db) as store:
            assert store.alarms() == ()
            results = store.results("t")
            for result in results:
                assert verify(store.replay(result.match_id)) == []
            return store.chain_head("t"), [(r.match_id, r.ranks, r.scores) for r in results]


def after(count: int, act: Callable[[], object]) -> Seen:
    """Do something once, when so many records have been seen."""
    left = count

    def seen(record: MatchRecord) -> None:
        nonlocal left
        left -= 1
        if left == 0:
            act()

    return seen


def kill(module: str) -> None:
    """End the newest of our processes of a module, if there is one, as the kernel would."""
    for pid in processes_of(module)[-1:]:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Any:
    played = Played(tmp_path_factory.mktemp("undisturbed") / "a.db")
    played.go()
    return played.outcome()


@pytest.fixture
def clean() -> Iterator[None]:
    before = traces()
    yield
    assert leftovers(before) == {}


# ------------------------------------------------------------------ killed


@pytest.mark.usefixtures("clean")
@pytest.mark.parametrize("module", [WORKER, SUPERVISOR])
def test_a_killed_helper_costs_time_and_nothing_else(
    module: str, undisturbed: Any, tmp_path: Path
) -> None:
    played = Played(tmp_path / "a.db")
    kill_it, workers = after(3, lambda: kill(module)), set[int]()

    def seen(record: MatchRecord) -> None:
        workers.update(processes_of(WORKER))
        kill_it(record)

    played.go(seen)
    assert len(workers) == 2, "it was killed, and another took over"
    assert played.outcome() == undisturbed
    assert len(played.records) == len({record.match_id for record in played.records}) == 24
    assert {record.verdict.termination for record in played.records} == {Termination.TARGET_REACHED}


@pytest.mark.sandbox
@pytest.mark.usefixtures("clean")
@pytest.mark.parametrize("module", [WORKER, SUPERVISOR])
def test_in_the_sandbox_a_killed_helper_leaves_nothing_after_the_next_start(
    module: str, undisturbed: Any, tmp_path: Path
) -> None:
    need(Level.FULL)
    played = Played(tmp_path / "a.db")
    played.go(after(3, lambda: kill(module)), level=Level.FULL, jobs=2)
    assert played.outcome() == undisturbed


@pytest.mark.usefixtures("clean")
def test_one_of_two_workers_killed_again_and_again_does_not_stop_the_run(
    undisturbed: Any, tmp_path: Path
) -> None:
    played = Played(tmp_path / "a.db")
    played.go(lambda record: kill(WORKER) if len(played.records) % 3 == 0 else None, jobs=2)
    assert played.outcome() == undisturbed


@pytest.mark.usefixtures("clean")
def test_workers_that_never_begin_end_the_run_and_the_next_run_goes_on(tmp_path: Path) -> None:
    folders = [by_hand(tmp_path / name, "serve()") for name in ("ada", "bix", "cleo")]
    played = Played(tmp_path / "a.db", folders, deals=1, seats=3)
    over = threading.Event()

    def kill_every_worker() -> None:
        while not over.wait(0.02):
            kill(WORKER)

    killer = threading.Thread(target=kill_every_worker)
    killer.start()
    try:
        with pytest.raises(ArenaError, match=r"not be begun 3 times in a row: .* the same command"):
            played.go()
    finally:
        over.set()
        killer.join()
    assert played.records == []
    played.go()
    assert len(played.records) == 3
    assert {record.attempt for record in played.records} == {0}


# ------------------------------------------------------------------ a broken arena


@pytest.mark.sandbox
@pytest.mark.usefixtures("clean")
def test_a_sandbox_that_always_breaks_is_tried_three_times_and_nobody_loses(
    tmp_path: Path,
) -> None:
    need(Level.FULL)
    played = Played(tmp_path / "a.db", deals=1)
    played.go(level=Level.FULL, limits=Limits(processes=1))
    with Store.open(played.db) as store:
        results = store.results("t")
    assert [result.termination for result in results] == [Termination.ARENA_FAULT] * 2
    assert [result.ranks for result in results] == [(1, 1)] * 2
    assert [result.faulty_seat for result in results] == [None, None]
    assert rated(results) == []
    attempts = Counter(record.match_id for record in played.records)
    assert max(attempts.values()) == 3, "bounded"
    last = played.records[-1]
    assert last.attempt == 2
    assert last.evidence is not None
    assert last.evidence.seat is None


@pytest.mark.usefixtures("clean")
def test_a_failure_in_one_match_replans_its_whole_deal_and_no_more(tmp_path: Path) -> None:
    """Without a sandbox a bot can take away the arena's socket folder, which is not its fault."""
    saboteur = """
    import shutil
    def sabotage(message):
        marker = "MARKER"
        if message.game_end.game_id == 3 and not os.path.exists(marker):
            open(marker, "w").close()
            shutil.rmtree(os.path.dirname(os.environ["DOMINOBOT_ADDRESS"].removeprefix("unix:")))
            os._exit(1)
        return ready(message)
    serve(on_end=sabotage)
    """.replace("MARKER", str(tmp_path / "marker"))
    folders = [by_hand(tmp_path / "ada", saboteur), by_hand(tmp_path / "bix", "serve()")]
    played = Played(tmp_path / "a.db", folders, deals=6)
    played.go()
    faults = [r for r in played.records if r.verdict.termination is Termination.ARENA_FAULT]
    assert [fault.attempt for fault in faults] == [0]
    with Store.open(played.db) as store:
        results = {result.match_id: result for result in store.results("t")}
        units = {r.unit for r in results.values() if r.match_id == faults[0].match_id}
    assert {r.termination for r in results.values()} == {Termination.TARGET_REACHED}
    again = [record.match_id for record in played.records if record.attempt == 1]
    assert len(again) == 2
    assert {results[match_id].unit for match_id in again} == units
    fair = Played(
        tmp_path / "b.db", [by_hand(tmp_path / "ada2", "serve()", name="ada"), folders[1]]
    )
    assert len(fair.bundles) == 2


@pytest.mark.usefixtures("clean")
def test_the_worker_is_replaced_after_a_protocol_fault_and_the_series_goes_on(
    tmp_path: Path,
) -> None:
    loud = """
    def loud(message):
        if message.game_start.game_id == 2:
            return [pb.PlayRequest()] * 101
        return ready(message)
    serve(on_start=loud)
    """
    folders = [by_hand(tmp_path / "ada", loud), by_hand(tmp_path / "bix", "serve()")]
    played = Played(tmp_path / "a.db", folders, deals=3)
    workers: list[int] = []
    played.go(lambda record: workers.append(processes_of(WORKER)[0]))
    with Store.open(played.db) as store:
        results = store.results("t")
    # In each of both series the second game of the first process faults; the third match is the
    # first game of the next process.
    assert [result.termination for result in results] == [
        *[Termination.TARGET_REACHED] * 2,
        *[Termination.PROTOCOL] * 2,
        *[Termination.TARGET_REACHED] * 2,
    ]
    assert {result.faulty_bots for result in results} == {(), (0,)}
    assert len(set(workers)) == 3


# ------------------------------------------------------------------ the database


@pytest.mark.usefixtures("clean")
def test_a_locked_database_ends_the_run_with_one_line_and_nothing_is_lost(
    undisturbed: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "BUSY_TIMEOUT_MS", 50)
    played = Played(tmp_path / "a.db")
    other = sqlite3.connect(played.db, isolation_level=None)
    with pytest.raises(StoreError, match=r"^[^\n]* is locked by another program; [^\n]*$"):
        played.go(after(5, lambda: other.execute("BEGIN IMMEDIATE")))
    other.close()
    with Store.open(played.db) as store:
        assert len(store.results("t")) == 5
    played.go()
    assert played.outcome() == undisturbed


@pytest.mark.usefixtures("clean")
def test_a_full_disk_ends_the_run_with_one_line_and_nothing_is_lost(
    undisturbed: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    played = Played(tmp_path / "a.db")
    limit = "PRAGMA max_page_count = 0"
    set_up = engine._set_up_writer

    def with_limit(connection: sqlite3.Connection) -> None:
        set_up(connection)
        connection.execute(limit)

    monkeypatch.setattr(engine, "_set_up_writer", with_limit)
    with pytest.raises(KeyboardInterrupt):
        played.go(after(4, interrupt))
    pages = sqlite3.connect(played.db).execute("PRAGMA page_count").fetchone()[0]
    limit = f"PRAGMA max_page_count = {pages + 4}"
    with pytest.raises(StoreError, match=r"^[^\n]* the disk is full; [^\n]*$"):
        played.go()
    with Store.open(played.db) as store:
        assert 4 <= len(store.results("t")) < 24
    limit = "PRAGMA max_page_count = 0"
    played.go()
    assert played.outcome() == undisturbed


def interrupt() -> None:
    raise KeyboardInterrupt


# ------------------------------------------------------------------ bots


@pytest.mark.usefixtures("clean")
def test_bots_that_fail_together_are_lost_together_also_after_an_interruption(
    tmp_path: Path,
) -> None:
    folders = [write_bot(tmp_path / name, "raise SystemExit(1)") for name in ("ada", "bix")]
    straight = Played(tmp_path / "a.db", folders, deals=5)
    straight.go()
    stopped = Played(tmp_path / "b.db", folders, deals=5)
    with pytest.raises(KeyboardInterrupt):
        stopped.go(after(2, interrupt))
    stopped.go()
    assert stopped.outcome() == straight.outcome()
    assert {record.verdict.ranks for record in stopped.records} == {(1, 1)}


@pytest.mark.usefixtures("clean")
def test_a_bot_that_leaves_after_each_game_gets_the_same_result_after_an_interruption(
    tmp_path: Path,
) -> None:
    leaver = by_hand(tmp_path / "ada", "serve(on_end=lambda message: os._exit(5))")
    folders = [leaver, by_hand(tmp_path / "bix", "serve()")]
    straight = Played(tmp_path / "a.db", folders, deals=4)
    straight.go()
    stopped = Played(tmp_path / "b.db", folders, deals=4)
    with pytest.raises(KeyboardInterrupt):
        stopped.go(after(2, interrupt))
    stopped.go()
    assert stopped.outcome() == straight.outcome()
    verdicts = [record.verdict for record in straight.records]
    assert {verdict.termination for verdict in verdicts} == {Termination.TARGET_REACHED}


@pytest.mark.usefixtures("clean")
def test_a_bot_that_fails_in_every_match_does_not_stop_the_others(tmp_path: Path) -> None:
    folders = [
        write_bot(tmp_path / "ada", "raise SystemExit(4)"),
        by_hand(tmp_path / "bix", "serve()"),
        by_hand(tmp_path / "cleo", "serve()"),
    ]
    played = Played(tmp_path / "a.db", folders, deals=2)
    played.go(jobs=2)
    with Store.open(played.db) as store:
        results = store.results("t")
    assert len(results) == 12
    ada = [result for result in results if 0 in result.seating]
    assert {result.termination for result in ada} == {Termination.NO_SHOW}
    assert {result.faulty_bots for result in ada} == {(0,)}
    others = [result for result in results if 0 not in result.seating]
    assert {result.termination for result in others} == {Termination.TARGET_REACHED}


@pytest.mark.usefixtures("clean")
def test_bots_that_fail_together_in_their_own_ways_are_lost_by_one_word_throughout(
    tmp_path: Path,
) -> None:
    """The word of the verdict: an interrupted run has nothing else to go by."""
    ways = {"ada": "os._exit(0)", "bix": "os._exit(3)"}
    folders = [
        by_hand(tmp_path / name, f"serve(on_start=lambda message: {way})")
        for name, way in ways.items()
    ]
    straight = Played(tmp_path / "a.db", folders, deals=8)
    straight.go()
    stopped = Played(tmp_path / "b.db", folders, deals=8)
    with pytest.raises(KeyboardInterrupt):
        stopped.go(after(4, interrupt))
    stopped.go()
    with Store.open(straight.db) as one, Store.open(stopped.db) as other:
        assert one.results("t") == other.results("t")
