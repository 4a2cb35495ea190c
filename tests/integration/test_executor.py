"""The local executor: what it takes from a worker, and how it comes and goes."""

from __future__ import annotations

import asyncio
import json
import os
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from arena.bundle import Bundle, pack
from arena.core.job import SeriesJob
from arena.core.record import MatchRecord
from arena.core.schedule import Tournament, plan
from arena.errors import SandboxError
from arena.executors import local
from arena.executors.base import Ended, Lost, Outcome, Recorded
from arena.executors.local import LocalConfig, LocalExecutor
from arena.sandbox.base import Level
from arena.supervisor.launch import SupervisorHandle, launch
from arena.supervisor.protocol import JobConfig
from tests.support import QUICK, SAMPLES, job_of, leftovers, traces

PATIENCE_S = 10.0
BUNDLES = [pack(SAMPLES / "heaviest"), pack(SAMPLES / "random")]


def config(jobs: int = 1, bundles: list[Bundle] | None = None) -> LocalConfig:
    given = {bundle.digest: bundle for bundle in (BUNDLES if bundles is None else bundles)}
    return LocalConfig(jobs, Level.UNSAFE, "plain", given)


def jobs(deals: int = 1) -> list[SeriesJob]:
    from dominobot.rules import Variant

    variant = Variant.preset("famille", target=None)
    refs = tuple(bundle.version.ref for bundle in BUNDLES)
    tournament = Tournament("t", variant, refs, deals, None, b"m" * 32)
    return [job_of(tournament, series, QUICK, Level.UNSAFE) for series in plan(tournament)]


@asynccontextmanager
async def running(wanted: LocalConfig) -> AsyncIterator[LocalExecutor]:
    executor = LocalExecutor(wanted)
    await executor.start()
    try:
        yield executor
    finally:
        await asyncio.wait_for(executor.close(), PATIENCE_S)


async def until_over(executor: LocalExecutor, series_id: str) -> list[Outcome]:
    """What happens until a series is over, however it is."""
    found: list[Outcome] = []
    async with asyncio.timeout(PATIENCE_S):
        async for outcome in executor.outcomes():
            found.append(outcome)
            if outcome.series_id == series_id and not isinstance(outcome, Recorded):
                return found
    raise AssertionError("the executor has closed")


# ------------------------------------------------------------------ a worker that lies


class Worker:
    """The test in the place of a worker process: it reads a job and says what it likes."""

    def __init__(self, sock: socket.socket) -> None:
        self._sock = sock
        self._file = sock.makefile("rwb")

    async def job(self) -> SeriesJob:
        line = await asyncio.to_thread(self._file.readline)
        return SeriesJob.from_dict(json.loads(line)["job"])

    def say(self, line: bytes) -> None:
        self._file.write(line + b"\n")
        self._file.flush()

    def leave(self) -> None:
        self._file.close()
        self._sock.close()


@pytest.fixture
def workers(monkeypatch: pytest.MonkeyPatch) -> list[Worker]:
    """The workers that an executor starts from now on: this test plays them all."""
    made: list[Worker] = []

    def launch_without(wanted: JobConfig) -> SupervisorHandle:
        handle = launch(wanted._replace(worker=None))
        handle.worker.close()
        handle.worker, there = socket.socketpair()
        made.append(Worker(there))
        return handle

    monkeypatch.setattr(local, "launch", launch_without)
    return made


@pytest.fixture(scope="module")
def honest_record() -> MatchRecord:
    """The record of the first match of the first job, from a real worker."""

    async def play() -> MatchRecord:
        job = jobs()[0]
        async with running(config()) as executor:
            await executor.submit(job)
            recorded, _ = await until_over(executor, job.series_id)
            assert isinstance(recorded, Recorded)
            return recorded.record

    return asyncio.run(play())


def said(record: MatchRecord, **changes: Any) -> bytes:
    return json.dumps({"record": {**record.to_dict(), **changes}}).encode()


Lie = Callable[[MatchRecord], bytes]

LIES: dict[str, Lie] = {
    "a match of another series": lambda r: said(r, match_id=jobs()[1].matches[0].match_id),
    "a match that nobody planned": lambda r: said(r, match_id="00000000"),
    "another level": lambda r: said(r, level="full"),
    "no record": lambda r: b'{"record": 1}',
    "a record without a verdict": lambda r: said(r, verdict=None),
    "a record with more than a record has": lambda r: said(r, colour="red"),
    "an unknown termination": lambda r: said(r, verdict={"termination": "LUCK"}),
    "too few ranks": lambda r: said(r, verdict={**r.verdict.to_dict(), "ranks": [1]}),
    "too many scores": lambda r: said(r, verdict={**r.verdict.to_dict(), "scores": [1, 2, 3]}),
    "ranks of text": lambda r: said(r, verdict={**r.verdict.to_dict(), "ranks": ["1", "x"]}),
    "ranks beyond": lambda r: said(r, verdict={**r.verdict.to_dict(), "ranks": [0, 7]}),
    "a faulty seat that is none": lambda r: said(
        r, verdict={**r.verdict.to_dict(), "termination": "CRASH", "faulty_seat": 5}
    ),
    "a fault of nobody": lambda r: said(r, verdict={**r.verdict.to_dict(), "termination": "CRASH"}),
    "an attempt to come": lambda r: said(r, attempt=7),
    "an attempt of text": lambda r: said(r, attempt="x"),
    "a replay that is no text": lambda r: said(r, replay=5),
    "a replay of nothing": lambda r: said(r, replay="hello"),
    "a replay of another match": lambda r: said(r, replay=r.replay.replace(r.match_id, "x" * 36)),
    "no usage": lambda r: said(r, usage=5),
    "far too deep": lambda r: b"[" * 100_000,
    "nothing known": lambda r: b'{"hello": "world"}',
    "no object": lambda r: b"[]",
    "no JSON": lambda r: b"hello",
    "no text": lambda r: b"\xff\xfe\xfd",
}


@pytest.mark.parametrize("lie", LIES.values(), ids=LIES)
async def test_a_worker_that_says_what_it_may_not_say_is_lost_and_replaced(
    lie: Lie, honest_record: MatchRecord, workers: list[Worker]
) -> None:
    job, record = jobs()[0], honest_record
    async with running(config()) as executor:
        await executor.submit(job)
        assert await workers[0].job() == job
        workers[0].say(lie(record))
        (lost,) = await until_over(executor, job.series_id)
        assert isinstance(lost, Lost)
        workers[0].leave()
        await executor.submit(job)
        while len(workers) < 2:  # noqa: ASYNC110 - it starts in a thread
            await asyncio.sleep(0.01)
        assert await workers[1].job() == job
        workers[1].say(said(record))
        workers[1].say(json.dumps({"ended": job.series_id, "replace": False}).encode())
        assert await until_over(executor, job.series_id) == [
            Recorded(job.series_id, record),
            Ended(job.series_id),
        ]
        workers[1].leave()


async def test_a_line_without_end_is_not_read_to_its_end(
    honest_record: MatchRecord, workers: list[Worker]
) -> None:
    job, record = jobs()[0], honest_record
    async with running(config()) as executor:
        await executor.submit(job)
        await workers[0].job()
        line = said(record, replay=record.replay + " " * 5_000_000)
        saying = asyncio.create_task(asyncio.to_thread(workers[0].say, line))
        (lost,) = await until_over(executor, job.series_id)
        assert isinstance(lost, Lost)
        with suppress(OSError):  # it was hung up on
            await saying
        with suppress(OSError):
            workers[0].leave()


async def test_a_record_comes_once(honest_record: MatchRecord, workers: list[Worker]) -> None:
    job, record = jobs()[0], honest_record
    async with running(config()) as executor:
        await executor.submit(job)
        await workers[0].job()
        workers[0].say(said(record))
        workers[0].say(said(record))
        first, second = await until_over(executor, job.series_id)
        assert first == Recorded(job.series_id, record)
        assert isinstance(second, Lost)
        workers[0].leave()


async def test_a_series_that_is_ended_unplayed_counts_as_lost(workers: list[Worker]) -> None:
    job = jobs()[0]
    for replaces in (False, True):
        async with running(config()) as executor:
            await executor.submit(job)
            await workers[-1].job()
            said_over = {"ended": job.series_id, "replace": replaces}
            workers[-1].say(json.dumps(said_over).encode())
            (lost,) = await until_over(executor, job.series_id)
            assert isinstance(lost, Lost)
            workers[-1].leave()


async def test_a_worker_that_hangs_up_is_lost(workers: list[Worker]) -> None:
    job = jobs()[0]
    async with running(config()) as executor:
        await executor.submit(job)
        await workers[0].job()
        workers[0].leave()
        assert await until_over(executor, job.series_id) == [
            Lost(job.series_id, "the worker process ended")
        ]


# ------------------------------------------------------------------ real workers


async def test_series_are_played_side_by_side_and_each_ends_once() -> None:
    before = traces()
    wanted = jobs(deals=3)
    async with running(config(jobs=2)) as executor:
        assert executor.capacity == 2
        feeding = asyncio.create_task(feed(executor, wanted))
        over: list[str] = []
        records: list[str] = []
        async for outcome in executor.outcomes():
            if isinstance(outcome, Recorded):
                records.append(outcome.record.match_id)
            else:
                assert isinstance(outcome, Ended)
                over.append(outcome.series_id)
            if len(over) == 2:
                break
        await feeding
    assert sorted(over) == sorted(job.series_id for job in wanted)
    assert sorted(records) == sorted(m.match_id for job in wanted for m in job.matches)
    assert leftovers(before) == {}


async def feed(executor: LocalExecutor, wanted: list[SeriesJob]) -> None:
    for job in wanted:
        await executor.submit(job)


async def test_closing_in_the_middle_of_a_series_leaves_nothing() -> None:
    before = traces()
    async with running(config()) as executor:
        await executor.submit(jobs(deals=500)[0])
        async for outcome in executor.outcomes():
            assert isinstance(outcome, Recorded)
            break
    assert leftovers(before) == {}


async def test_outcomes_end_when_the_executor_is_closed() -> None:
    executor = LocalExecutor(config())
    await executor.start()
    waiting = asyncio.create_task(collect(executor))
    await asyncio.sleep(0)
    await executor.close()
    assert await asyncio.wait_for(waiting, PATIENCE_S) == []


async def collect(executor: LocalExecutor) -> list[Outcome]:
    return [outcome async for outcome in executor.outcomes()]


async def test_a_level_that_cannot_be_had_is_said_at_the_start_and_leaves_nothing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    before = traces()
    monkeypatch.setenv("ARENA_BOT_RUNTIME", str(tmp_path / "none"))
    executor = LocalExecutor(config(jobs=2))
    with pytest.raises(SandboxError, match="none"):
        await executor.start()
    assert leftovers(before) == {}


async def test_an_executor_that_is_stopped_while_it_starts_leaves_no_supervisor() -> None:
    before = traces()
    for delay_s in (0.0, 0.02, 0.1):
        executor = LocalExecutor(config(jobs=2))
        starting = asyncio.create_task(executor.start())
        await asyncio.sleep(delay_s)
        starting.cancel()
        with suppress(asyncio.CancelledError):
            await asyncio.wait_for(starting, PATIENCE_S)
        await asyncio.wait_for(executor.close(), PATIENCE_S)
    assert leftovers(before) == {}


async def test_a_bundle_that_cannot_be_unpacked_costs_its_series_and_the_slot_lives_on() -> None:
    """A full disk is told in the same way."""
    broken = [replace(bundle, data=bundle.data[:-30]) for bundle in BUNDLES]
    first, second = jobs()
    async with running(config(bundles=broken)) as executor:
        for job in (first, second):
            await executor.submit(job)
            (lost,) = await until_over(executor, job.series_id)
            assert isinstance(lost, Lost)
            assert "broken" in lost.why


async def test_many_series_leave_no_descriptor_in_the_main_process() -> None:
    def descriptors() -> int:
        return len(os.listdir("/proc/self/fd"))  # noqa: PTH208 - names are enough

    counts = []
    for _ in range(3):
        async with running(config()) as executor:
            for job in jobs():
                await executor.submit(job)
                await until_over(executor, job.series_id)
        counts.append(descriptors())
    assert counts[2] <= counts[1]


async def test_faults_of_before_travel_with_the_job() -> None:
    job = jobs(deals=2)[0]
    async with running(config()) as executor:
        await executor.submit(replace(job, strikes=(0, 3), last_faults=("", "OUT_OF_MEMORY")))
        *recorded, ended = await until_over(executor, job.series_id)
        assert isinstance(ended, Ended)
        for outcome in recorded:
            assert isinstance(outcome, Recorded)
            assert outcome.record.verdict.termination.value == "OUT_OF_MEMORY"
