"""One bot of a series: its process in the sandbox, its line to the arena, its clock, its faults.

Everything a bot does wrong comes back as a ``Fault``; exceptions are the arena's own failures.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
import time
from pathlib import Path
from typing import NamedTuple

from dominobot.wire.v1 import match_pb2 as pb

from arena.core.clock import GameClock, TimeControl
from arena.core.record import Evidence
from arena.core.referee import MAX_UNASKED, Departure, Fault, Phase, fault_of_departure
from arena.core.verdict import Termination
from arena.errors import SandboxError
from arena.output import FLOOD_BYTES, Drain, Printed
from arena.pulse import Pulse
from arena.supervisor.client import Seat, SeatPort
from arena.table import PROTOCOL, Arrival, Link, Silence, Unreadable, token_matches

GRACE_S = 0.5
LOG_LINES = 50
WRITE_GRACE_S = 0.02
"""What writing a message may take before it is the bot's time."""
_MOST_STARTS = 48
"""A series goes on with a new worker before the supervisor's own limit is met."""
_LONGEST_STEP = 1 << 20


class Place(NamedTuple):
    """Where a bot sits: its number in a series, and the folder of its sockets."""

    series: str
    seat: int
    folder: Path


class Answered(NamedTuple):
    """A reply in time. ``elapsed_s`` is the arena's clock."""

    answer: pb.Answer
    elapsed_s: float


class Participant:
    """A bot's seat at one table for a series: one process at a time, restarted on demand."""

    def __init__(self, port: SeatPort, place: Place, control: TimeControl, pulse: Pulse) -> None:
        self.index = place.seat
        self.control = control
        self.clock = GameClock(control)
        self.unasked = self.unasked_in_game = 0
        self.waited_s = 0.0
        self._decision_id = 0
        self._port = port
        self._place = place
        self._pulse = pulse
        self._printed = Printed(self._on_flood)
        self._starts = 0
        self._seat: Seat | None = None
        self._link: Link | None = None
        self._drains: list[Drain] = []
        self._has_said_hello = self._is_frozen = False
        self._log: list[str] = []
        self._exited = asyncio.Event()

    @property
    def is_running(self) -> bool:
        """Whether a process of this bot is at the table."""
        return self._seat is not None

    @property
    def is_spent(self) -> bool:
        """Whether it was started as often as it may be in one series."""
        return self._starts >= _MOST_STARTS

    def begin_game(self) -> None:
        """A fresh clock, fresh counts."""
        self.clock = GameClock(self.control)
        self.unasked_in_game = 0
        self.waited_s = 0.0

    def next_decision_id(self) -> int:
        """A larger one than before. It cannot be guessed, so no answer can be sent ahead of its
        question; and it is the bot's own, so it does not say whether the others were asked.
        """
        self._decision_id += 1 + secrets.randbelow(_LONGEST_STEP)
        return self._decision_id

    # --- starting -------------------------------------------------------------------------

    async def start(self) -> Fault | None:
        """Start a fresh process and take its Hello.

        Raises:
            SandboxError, OSError: the arena's own failure.
        """
        self._link = Link(self._place.folder / f"{self._starts}.sock", self._pulse)
        await self._link.listen()
        started = time.perf_counter()
        try:
            self._seat = seat = self._port.start(self._place.series, self.index)
        except BaseException:
            await self._link.close()
            raise
        self._starts += 1
        self.unasked = 0
        self._has_said_hello = self._is_frozen = False
        self._log = []
        self._exited.clear()
        # The drains close what they read, so they get descriptors of their own.
        outputs = (os.dup(seat.stdout_fd), os.dup(seat.stderr_fd))
        self._drains = [Drain(fd, self._printed) for fd in outputs]
        asyncio.get_running_loop().add_reader(seat.exit_fd, self._on_exit)
        try:
            return await self._take_hello(started + self.control.connect_s)
        finally:
            self.waited_s += time.perf_counter() - started

    async def _take_hello(self, deadline: float) -> Fault | None:
        assert self._link is not None and self._seat is not None
        received = await self._link.receive(deadline)
        if received is Silence.DEADLINE:
            return Fault(
                Termination.NO_SHOW,
                Phase.CONNECT,
                f"it did not connect within {self.control.connect_s:g} s",
            )
        if not isinstance(received, Arrival):
            return self._failure(received, Phase.CONNECT)
        if received.message.WhichOneof("body") != "hello":
            return Fault(Termination.PROTOCOL, Phase.CONNECT, "its first message is no Hello")
        hello = received.message.hello
        self._has_said_hello = True
        if not token_matches(hello.token, self._seat.token):
            return Fault(Termination.SECURITY, Phase.CONNECT, "its token is not this seat's")
        if hello.protocol != PROTOCOL:
            detail = f"it speaks protocol {hello.protocol}, this arena speaks {PROTOCOL}"
            return Fault(Termination.PROTOCOL, Phase.CONNECT, detail)
        welcome = pb.Welcome(
            move_limit_ms=_ms(self.control.move_s),
            bank_ms=_ms(self.control.bank_s),
            strict=True,
            batch_limit=1,
        )
        return await self._send(pb.PlayResponse(welcome=welcome), Phase.CONNECT)

    def _on_flood(self) -> None:
        if self._link is not None:
            self._link.mark_gone()

    def _on_exit(self) -> None:
        self._exited.set()
        if self._seat is not None:
            asyncio.get_running_loop().remove_reader(self._seat.exit_fd)
        if self._link is not None:
            # What it said before it left is still in the socket: let the pump read it first.
            asyncio.get_running_loop().call_later(0.05, self._link.mark_gone)

    # --- talking --------------------------------------------------------------------------

    def freeze(self) -> None:
        """Stop the bot while it is not asked (nothing happens at a level without freezing)."""
        if self._seat is not None and not self._is_frozen:
            self._seat.freeze()
            self._is_frozen = True

    def _thaw(self) -> None:
        # Each of both is a walk over all threads of the bot: nothing to do in vain.
        if self._seat is not None and self._is_frozen:
            self._seat.thaw()
            self._is_frozen = False

    async def announce(self, message: pb.PlayResponse, game_id: int, phase: Phase) -> Fault | None:
        """Send a GameStart or GameEnd and await the bot's Ready within the move limit."""
        asked = time.perf_counter()
        try:
            return await self._await_ready(message, game_id, phase)
        finally:
            self.waited_s += time.perf_counter() - asked

    async def _await_ready(
        self, message: pb.PlayResponse, game_id: int, phase: Phase
    ) -> Fault | None:
        assert self._link is not None
        self._thaw()
        if fault := await self._send(message, phase):
            return fault
        deadline = time.perf_counter() + self.control.move_s
        while True:
            received = await self._link.receive(deadline)
            if received is Silence.DEADLINE:
                detail = f"no Ready within {self.control.move_s:g} s"
                return Fault(Termination.TIMEOUT, phase, detail)
            if not isinstance(received, Arrival):
                return self._failure(received, phase)
            message_in = received.message
            if message_in.WhichOneof("body") == "ready" and message_in.ready.game_id == game_id:
                self.freeze()
                return None
            if fault := self._count_unasked(phase, max(1, len(message_in.answers.answers))):
                return fault

    async def ask(self, question: pb.Question) -> Answered | Fault:
        """Ask for one decision; the clock starts when the question has been written.

        It starts a moment after the writing began at the latest, since the bot decides when it
        takes the last byte. For the time in which the arena stood still nobody is charged.

        An answer counts only when it names this decision and came after the question went out.
        After a good one the bot is left thawed, since it may be its turn again: ``freeze`` it as
        soon as it is not.
        """
        self._thaw()
        asked, lost_s = time.perf_counter(), self._pulse.lost_s
        try:
            message = pb.PlayResponse(questions=pb.Questions(questions=(question,)))
            if fault := await self._send(message, Phase.MOVE):
                return fault
            started = min(time.perf_counter(), asked + WRITE_GRACE_S) + self._pulse.lost_s - lost_s
            return await self._await_answer(question.decision_id, asked, started)
        finally:
            self.waited_s += time.perf_counter() - asked

    async def _await_answer(
        self, decision_id: int, asked: float, started: float
    ) -> Answered | Fault:
        assert self._link is not None
        lost_s = self._pulse.lost_s
        deadline = started + self.clock.allowance_s
        while True:
            received = await self._link.receive(deadline)
            if received is Silence.DEADLINE:
                return self._late(time.perf_counter() - started)
            if not isinstance(received, Arrival):
                return self._failure(received, Phase.MOVE)
            answers = received.message.answers.answers
            for answer in answers:
                if answer.decision_id == decision_id and received.at >= asked:
                    if fault := self._count_unasked(Phase.MOVE, len(answers) - 1):
                        return fault
                    elapsed = max(0.0, received.at - started - (self._pulse.lost_s - lost_s))
                    return (
                        Answered(answer, elapsed) if self.clock.charge(elapsed) else self._late(0)
                    )
            if fault := self._count_unasked(Phase.MOVE, max(1, len(answers))):
                return fault

    def _late(self, elapsed_s: float) -> Fault:
        if elapsed_s:
            self.clock.charge(max(elapsed_s, self.clock.allowance_s + 1e-6))
        number, seconds, _ = self.clock.trace[-1]
        detail = (
            f"decision {number} took {seconds:.3f} s or more; the limit is "
            f"{self.control.move_s:g} s plus what is left of a bank of {self.control.bank_s:g} s"
        )
        return Fault(Termination.TIMEOUT, Phase.MOVE, detail)

    def _count_unasked(self, phase: Phase, count: int) -> Fault | None:
        self.unasked += count
        self.unasked_in_game += count
        if self.unasked <= MAX_UNASKED:
            return None
        detail = f"more than {MAX_UNASKED} messages that nobody had asked for"
        return Fault(Termination.PROTOCOL, phase, detail)

    async def _send(self, message: pb.PlayResponse, phase: Phase) -> Fault | None:
        assert self._link is not None
        limit = self.clock.allowance_s if phase is Phase.MOVE else self.control.move_s
        deadline = time.perf_counter() + WRITE_GRACE_S + limit
        if await self._link.send(message, deadline):
            return None
        if time.perf_counter() >= deadline:
            return Fault(Termination.TIMEOUT, phase, "it did not take the arena's message in time")
        return self._failure(Silence.CLOSED, phase)

    def _failure(self, received: Unreadable | Silence, phase: Phase) -> Fault:
        if isinstance(received, Unreadable):
            return Fault(Termination.PROTOCOL, phase, received.detail)
        if self._printed.is_flood:
            detail = f"it printed more than {FLOOD_BYTES >> 20} MiB"
            return Fault(Termination.OUTPUT_FLOOD, phase, detail)
        # Refined by what the supervisor sees when the process is reaped.
        return Fault(Termination.DISCONNECT, phase, "its stream ended")

    # --- ending ---------------------------------------------------------------------------

    async def end(self, reason: str, fault: Fault | None = None) -> tuple[Fault | None, Evidence]:
        """Say goodbye, end the process within a short grace, and say how it ended.

        With a fault, the fault comes back as the kernel's facts refine it.
        """
        assert self._seat is not None and self._link is not None
        is_stuck = fault is not None and fault.termination is Termination.TIMEOUT
        is_alive = await self._say_goodbye(reason, 0.1 if is_stuck else GRACE_S)
        asyncio.get_running_loop().remove_reader(self._seat.exit_fd)
        left = self._port.reap(self.index)
        self._collect_log()
        await self._link.close()
        self._seat = self._link = None
        self._drains = []
        if left.is_arena_fault and not self._has_said_hello:
            raise SandboxError("the sandbox broke: " + (self._log[-1] if self._log else "no word"))
        if left.host_oom_kills:
            raise SandboxError("the host ran out of memory, and a bot was killed for it")
        if fault is not None:
            departure = Departure(
                left.exit_code, left.signal, left.oom_kills, left.is_over_cpu, is_alive
            )
            fault = _refine(fault, departure)
        counters = {
            "cpu_s": left.cpu_s,
            "oom_kills": left.oom_kills,
            "host_oom_kills": left.host_oom_kills,
            "processes_denied": left.processes_denied,
            "memory_peak_bytes": left.memory_peak_bytes or 0,
        }
        return fault, Evidence(
            seat=None,
            phase="" if fault is None else fault.phase.value,
            detail="" if fault is None else fault.detail,
            exit_code=None if is_alive else left.exit_code,
            signal=None if is_alive else left.signal,
            counters=counters,
            log=tuple(self._log),
            clock=tuple(self.clock.trace),
        )

    async def _say_goodbye(self, reason: str, grace_s: float) -> bool:
        """Whether the process was still there after the grace."""
        assert self._seat is not None and self._link is not None
        self._thaw()
        deadline = time.perf_counter() + grace_s
        await self._link.send(pb.PlayResponse(goodbye=pb.Goodbye(reason=reason)), deadline)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(max(0.0, deadline - time.perf_counter())):
                await self._exited.wait()
        return not self._seat.has_ended()

    def _collect_log(self) -> None:
        for drain in self._drains:
            drain.drain_rest()
            self._log += drain.last_lines(LOG_LINES)
            drain.close()


def _refine(fault: Fault, departure: Departure) -> Fault:
    """The kernel's word on a fault that the stream alone could not name."""
    if departure.oom_kills or fault.termination is Termination.DISCONNECT:
        return fault_of_departure(departure, fault.phase)
    return fault


def _ms(seconds: float) -> int:
    return round(seconds * 1000)
