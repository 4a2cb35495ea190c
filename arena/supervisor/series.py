"""The open series of a supervisor: its seats, their folders, their attempts."""

from __future__ import annotations

import os
import secrets
import stat
from pathlib import Path
from typing import Any

from arena.errors import SandboxError
from arena.sandbox.base import Backend, BotFiles, Exit, Level, Limits, SeatProcess, SeatSpec
from arena.sandbox.descriptors import fitted
from arena.sandbox.ground import Ground
from arena.sandbox.jobs import remove
from arena.sandbox.notes import note
from arena.supervisor.protocol import Attempt

MOST_ATTEMPTS = 64
FINISH_S = 5.0


class _SeatState:
    def __init__(self, bot: BotFiles, number: int) -> None:
        self.bot = bot
        self.number = number
        self.attempts = 0
        self.folder = Path()
        self.pinned: Path | None = None
        self.shown: str | None = None
        self.uid: int | None = None
        self.process: SeatProcess | None = None


class Series:
    """Seats that may be started again and again until the series is closed."""

    def __init__(self, name: str, bots: tuple[BotFiles, ...], limits: Limits) -> None:
        self.name = name
        self._limits = limits
        self._seats = [_SeatState(bot, number) for number, bot in enumerate(bots)]
        self._ended: list[Attempt] = []

    def open(
        self, ground: Ground, backend: Backend, job_folder: Path, listener_uid: int
    ) -> list[str]:
        """Claim users, make the socket folders, show the bots' folders.

        ``listener_uid``: whose sockets the seats are given. Raises SandboxError; what was made by
        then is undone by :meth:`close`.
        """
        self._ground = ground
        self._backend = backend
        self._listener_uid = listener_uid
        self._fit_files()
        for seat in self._seats:
            seat.folder = job_folder / str(seat.number)
            seat.uid = ground.take_uid()
            seat.shown = ground.show_bot(seat.bot.folder, seat.number)
            self._check_entry(seat)
            try:
                self._make_folder(seat)
            except OSError as error:
                raise SandboxError(f"cannot make {seat.folder}: {error.strerror}") from error
        return [str(seat.folder) for seat in self._seats]

    def start(self, number: object) -> tuple[dict[str, Any], SeatProcess]:
        """Start the next attempt. The caller sends the descriptors on and closes them.

        Raises SandboxError when the seat is unknown, running, spent, or has no socket.
        """
        seat = self._seat(number)
        if seat.process is not None:
            raise SandboxError(f"seat {seat.number} is running: reap it first")
        if seat.attempts >= MOST_ATTEMPTS:
            raise SandboxError(f"seat {seat.number} was started {MOST_ATTEMPTS} times: no more")
        attempt = seat.attempts
        socket_path = self._pin_socket(seat, attempt)
        token = secrets.token_urlsafe(32)
        spec = SeatSpec(
            name=f"s{seat.number}-{attempt}",
            folder=str(seat.shown),
            entry=seat.bot.entry,
            socket=socket_path,
            token=token,
            limits=self._limits,
            uid=seat.uid,
        )
        seat.process = self._backend.start(spec)
        seat.attempts += 1
        answer = {"pid": seat.process.pid, "attempt": attempt, "token": token}
        return {**answer, "words": seat.process.freeze_words}, seat.process

    def kill(self, number: object) -> None:
        """Begin to end a seat's tree; nothing when none is running."""
        seat = self._seat(number)
        if seat.process is not None:
            seat.process.kill()

    def reap(self, number: object) -> Exit:
        """End a seat's tree and say how it ended. Raises SandboxError when none is running."""
        seat = self._seat(number)
        if seat.process is None:
            raise SandboxError(f"seat {seat.number} is not running")
        result = seat.process.finish(FINISH_S)
        # Only now: what would not end is still there, to be ended by a later try.
        seat.process = None
        self._ended.append(Attempt(seat.number, seat.attempts - 1, result))
        return result

    @property
    def is_running(self) -> bool:
        """Whether any seat has a process."""
        return any(seat.process is not None for seat in self._seats)

    def watch(self) -> None:
        """Let each running seat's counters be looked at."""
        for seat in self._seats:
            if seat.process is not None:
                seat.process.watch()

    def kill_all(self) -> None:
        """Begin to end every seat at once, so that waiting for one is waiting for all."""
        for seat in self._seats:
            if seat.process is not None:
                seat.process.kill()

    def close(self) -> list[Attempt]:
        """End every seat, remove every trace. May be called again after an error.

        Raises SandboxError if something will not go, after everything else has gone.
        """
        self.kill_all()
        troubles = [trouble for seat in self._seats if (trouble := self._close_seat(seat))]
        self._ground.hide_bots()
        if troubles:
            raise SandboxError("; ".join(troubles))
        return self._ended

    def _close_seat(self, seat: _SeatState) -> str:
        """What went wrong, or nothing. A seat that will not go keeps its user claimed."""
        try:
            if seat.process is not None:
                self.reap(seat.number)
            if seat.pinned is not None:
                seat.pinned.unlink(missing_ok=True)
            if seat.folder.name:
                remove(seat.folder)
        except (SandboxError, OSError) as error:
            return str(error)
        self._ground.give_back(seat.uid)
        seat.uid = None
        return ""

    def _seat(self, number: object) -> _SeatState:
        if isinstance(number, bool) or not isinstance(number, int):
            raise SandboxError(f"a seat is a number, not {number!r}")
        if not 0 <= number < len(self._seats):
            raise SandboxError(f"there is no seat {number} in this series")
        return self._seats[number]

    def _pin_socket(self, seat: _SeatState, attempt: int) -> str:
        """A second name for the worker's socket, in a folder where only the arena can write.

        The worker owns the folder of its socket, and may put a link to anything in its place at
        any moment, so no program with more rights may go by that name. A hard link is made of
        what is there without following it, and what was got is looked at under the new name.
        """
        path = seat.folder / f"{attempt}.sock"
        seat.pinned = seat.folder.with_suffix(".sock")
        seat.pinned.unlink(missing_ok=True)
        try:
            os.link(path, seat.pinned, follow_symlinks=False)
            seen = seat.pinned.lstat()
        except OSError as error:
            raise SandboxError(f"nothing listens on {path} ({error.strerror})") from error
        if not stat.S_ISSOCK(seen.st_mode) or seen.st_uid != self._listener_uid:
            seat.pinned.unlink()
            raise SandboxError(f"nothing listens on {path}: it is no socket of the worker's")
        return str(seat.pinned)

    def _fit_files(self) -> None:
        """Other levels promise no bot anything of what another may use up."""
        if self._backend.level is not Level.FULL:
            return
        wanted = self._limits.open_files
        self._limits = fitted(self._limits, len(self._seats))
        if (given := self._limits.open_files) < wanted:
            why = "the host's hard limit of open files is low"
            note(f"each process of a seat may open {given} files, not {wanted}: {why}")

    def _check_entry(self, seat: _SeatState) -> None:
        if not (Path(str(seat.shown)) / seat.bot.entry).is_file():
            raise SandboxError(f"the bot in {seat.bot.folder} has no file {seat.bot.entry}")

    def _make_folder(self, seat: _SeatState) -> None:
        seat.folder.mkdir(mode=0o700)
        owner = self._ground.worker_uid
        if owner is not None and seat.uid is not None:
            # The seat's group may pass to its socket, not list; the worker may make it.
            os.chown(seat.folder, owner, seat.uid)
            seat.folder.chmod(0o710)
