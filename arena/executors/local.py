"""Plays series on this machine: one supervisor with one worker process for each job slot."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from arena.bundle import Bundle, extract
from arena.core.job import SeriesJob
from arena.errors import ArenaError, SandboxError
from arena.executors.base import RECORD_LIMIT_BYTES, Ended, Lost, Outcome, Recorded
from arena.executors.distrust import WorkerLostError, read_record
from arena.sandbox.base import BotFiles, Level, Limits
from arena.supervisor.launch import SupervisorHandle, launch
from arena.supervisor.protocol import JobConfig

SLACK_S = 60.0
"""How much longer than its clocks allow a match may take before its worker counts as lost."""


@dataclass(frozen=True, slots=True)
class LocalConfig:
    """What a local executor needs: ``jobs`` workers, the sandbox, and the bundles by digest."""

    jobs: int
    level: Level
    backend: str
    bundles: Mapping[str, Bundle]
    limits: Limits = field(default_factory=Limits)


class _Slot:
    """One supervisor with its worker. Replaced whole when the worker has to go."""

    def __init__(self, config: LocalConfig, number: int) -> None:
        self._config = config
        # Worker and bots take turns, so on one core they wake each other without waking a core:
        # a third less CPU a decision. Only where the bots that are not asked are frozen, though.
        cores = sorted(os.sched_getaffinity(0))
        is_by_turns = config.level is Level.FULL
        self._core = cores[number % len(cores)] if is_by_turns else None
        self._handle: SupervisorHandle | None = None
        self._reader: asyncio.StreamReader | None = None
        self._writer: asyncio.StreamWriter | None = None
        self.has_begun = False
        """Whether the worker has begun the series that it was given last."""

    async def open(self) -> None:
        """Start supervisor and worker. Raises SandboxError."""
        config = JobConfig(self._config.level, self._config.backend, core=self._core)
        launching = asyncio.ensure_future(asyncio.to_thread(launch, config))
        try:
            self._handle = await asyncio.shield(launching)
        except asyncio.CancelledError:
            # The thread goes on all the same: what it starts must be ended again, and however
            # often we are told to stop, it has to be waited for (launching is bounded).
            while not launching.done():
                with contextlib.suppress(asyncio.CancelledError):
                    await asyncio.wait([launching])
            if launching.exception() is None:
                launching.result().close()
            raise
        self._reader, self._writer = await asyncio.open_connection(
            sock=self._handle.worker, limit=RECORD_LIMIT_BYTES
        )

    async def close(self) -> None:
        """End both and everything of theirs."""
        if self._writer is not None:
            self._writer.close()
        if self._handle is not None:
            await asyncio.to_thread(self._handle.close)
        self._handle = self._reader = self._writer = None

    async def play(self, job: SeriesJob, outcomes: asyncio.Queue[Outcome | None]) -> None:
        """Play one series; its records go to ``outcomes`` as they come.

        Raises:
            SandboxError, WorkerLostError: the slot has to be opened anew.
        """
        self.has_begun = False
        if self._handle is None:
            await self.open()
        assert self._handle is not None
        folders = await asyncio.to_thread(self._open_series, job)
        await self._send({"job": job.to_dict(), "folders": list(folders)})
        waiting = {match.match_id for match in job.matches}
        if "begun" in (message := await self._receive(job)):
            self.has_begun = True
            message = await self._receive(job)
        while "ended" not in message:
            record = read_record(message, job, self._handle.level.value)
            if record.match_id not in waiting:
                raise WorkerLostError("the worker sent a record of a match that it was not given")
            waiting.discard(record.match_id)
            outcomes.put_nowait(Recorded(job.series_id, record))
            message = await self._receive(job)
        if not message.get("replace"):
            if waiting:
                raise WorkerLostError(f"the worker left {len(waiting)} matches unplayed")
            await asyncio.to_thread(self._handle.close_series)
        elif len(waiting) == len(job.matches):
            raise WorkerLostError("the worker left without a match played")
        else:
            await self.close()

    def _open_series(self, job: SeriesJob) -> tuple[str, ...]:
        assert self._handle is not None
        files = []
        for _, digest in job.bots:
            bundle = self._config.bundles[digest]
            folder = Path(self._handle.bundles) / digest
            if not folder.exists():
                extract(bundle.data, folder, digest)
            files.append(BotFiles(str(folder), bundle.manifest.entry))
        return self._handle.open_series(job.series_id, files, self._config.limits)

    async def _send(self, message: dict[str, Any]) -> None:
        assert self._writer is not None
        try:
            self._writer.write(json.dumps(message, separators=(",", ":")).encode() + b"\n")
            await self._writer.drain()
        except OSError as error:
            raise WorkerLostError(f"the worker takes no job: {error}") from None

    async def _receive(self, job: SeriesJob) -> dict[str, Any]:
        assert self._reader is not None
        control = job.control
        patience = control.match_s + len(job.bots) * (control.connect_s + control.move_s) + SLACK_S
        try:
            async with asyncio.timeout(patience):
                line = await self._reader.readline()
        except TimeoutError:
            raise WorkerLostError(f"the worker said nothing for {patience:.0f} s") from None
        except (OSError, ValueError) as error:
            raise WorkerLostError(f"the worker cannot be read: {error}") from None
        if not line:
            raise WorkerLostError("the worker process ended")
        try:
            message = json.loads(line)
        except (ValueError, RecursionError):
            raise WorkerLostError("the worker sent something that is no message") from None
        if not isinstance(message, dict):
            raise WorkerLostError("the worker sent something that is no message")
        return message


class LocalExecutor:
    """A ``MatchExecutor`` with ``config.jobs`` workers on this machine."""

    def __init__(self, config: LocalConfig) -> None:
        self._config = config
        self._slots = [_Slot(config, number) for number in range(config.jobs)]
        self._jobs: asyncio.Queue[SeriesJob] = asyncio.Queue(maxsize=1)
        self._outcomes: asyncio.Queue[Outcome | None] = asyncio.Queue()
        self._tasks: list[asyncio.Task[None]] = []

    @property
    def capacity(self) -> int:
        """How many series are played at once."""
        return len(self._slots)

    async def start(self) -> None:
        """Bring all workers up at once.

        Raises:
            SandboxError: the level that was asked for cannot be had.
        """
        opening = [asyncio.create_task(slot.open()) for slot in self._slots]
        try:
            await asyncio.gather(*opening)
        except BaseException:
            for task in opening:
                task.cancel()
            await asyncio.gather(*opening, return_exceptions=True)
            await self.close()
            raise
        self._tasks = [asyncio.create_task(self._work(slot)) for slot in self._slots]

    async def submit(self, job: SeriesJob) -> None:
        """Hand over a series; waits until a worker is about to take it."""
        await self._jobs.put(job)

    async def outcomes(self) -> AsyncIterator[Outcome]:
        """What happens, until ``close``."""
        while (outcome := await self._outcomes.get()) is not None:
            yield outcome

    async def close(self) -> None:
        """End everything, matches in flight too."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await asyncio.gather(*(slot.close() for slot in self._slots), return_exceptions=True)
        self._outcomes.put_nowait(None)

    async def _work(self, slot: _Slot) -> None:
        while True:
            job = await self._jobs.get()
            try:
                await slot.play(job, self._outcomes)
            except Exception as error:  # whatever broke must not hang the run
                with contextlib.suppress(SandboxError):
                    await slot.close()
                is_told = isinstance(error, ArenaError | WorkerLostError)
                why = str(error) if is_told else f"{type(error).__name__}: {error}"
                self._outcomes.put_nowait(Lost(job.series_id, why, slot.has_begun))
            else:
                self._outcomes.put_nowait(Ended(job.series_id))
