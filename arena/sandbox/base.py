"""The sandbox's words: levels, limits, what is to be started, and how it ended.

Theory of operation. The *main* process (tournament, store) starts one *supervisor* a job. The
supervisor is the only process that may be root. It starts one unprivileged *worker*, which
speaks gRPC with bots, and on the worker's request the *seats*: one bot process tree each. A
*backend* knows how to start a seat; it gives back a :class:`SeatProcess`, which can be watched,
killed and finished. Everything an :class:`Exit` says comes from the kernel, seen from outside.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from arena.sandbox.cgroup import Cgroup

MIB = 1024 * 1024


class Level(Enum):
    """How well a seat is locked up. The value is the word stored with every match and shown."""

    FULL = "full"
    PRACTICE = "practice"
    UNSAFE = "unsafe"

    @property
    def rank(self) -> int:
        """Higher is safer: unsafe 0, practice 1, full 2."""
        return _RANKS[self]

    def is_at_least(self, wanted: Level) -> bool:
        """Whether this level promises all that ``wanted`` promises."""
        return self.rank >= wanted.rank


_RANKS = {Level.UNSAFE: 0, Level.PRACTICE: 1, Level.FULL: 2}


class Limits(NamedTuple):
    """What one seat may use. Bytes, seconds and counts are for its whole process tree.

    ``cpu_cores`` is a share of time (1.0 is one core), None for all there is. ``cpu_s`` is the CPU
    time of one attempt in all; None sets no total. ``file_bytes`` is the largest single file,
    ``open_files`` holds for each process.
    """

    memory_bytes: int = 256 * MIB
    processes: int = 64
    cpu_cores: float | None = 1.0
    cpu_s: float | None = None
    tmp_bytes: int = 16 * MIB
    shm_bytes: int = 8 * MIB
    file_bytes: int = 32 * MIB
    open_files: int = 64


class BotFiles(NamedTuple):
    """One entered bot on this machine: its folder (absolute, no symlink) and its entry file."""

    folder: str
    entry: str = "main.py"


class SeatSpec(NamedTuple):
    """All a backend needs to start one attempt of one seat.

    ``name`` is unique within the job ("s0-2": seat 0, third attempt). ``folder`` and ``socket``
    are host paths that nobody but the arena can change while the seat starts. ``uid`` is the seat's
    own user, None where there is none.
    """

    name: str
    folder: str
    entry: str
    socket: str
    token: str
    limits: Limits
    uid: int | None = None


class Exit(NamedTuple):
    """How one attempt ended, by kernel counters and the wait status seen outside.

    ``exit_code`` and ``signal`` exclude each other; both are None when the seat had to be killed
    before it ended by itself. Under bwrap they are relayed by the sandbox's first process: 128+n
    is reported as signal n, and a bot can fake it with ``exit(128 + n)``. So they are evidence to
    show: at most the word for a lost match depends on them, never who lost it. The other fields
    cannot be faked.

    ``oom_kills``: kernel kills because the tree met its own memory limit. ``host_oom_kills``:
    kernel kills although it had not, since a group above it or the host had no memory left: the
    arena's fault, not the bot's. ``processes_denied``: a count. ``cpu_s``: CPU time of the tree,
    best effort below level full. ``was_killed``: the arena ended it. ``is_over_cpu``: it had used
    up its ``Limits.cpu_s``. ``is_arena_fault``: the sandbox broke before the bot ran.
    """

    exit_code: int | None = None
    signal: int | None = None
    oom_kills: int = 0
    processes_denied: int = 0
    cpu_s: float = 0.0
    memory_peak_bytes: int | None = None
    was_killed: bool = False
    is_over_cpu: bool = False
    is_arena_fault: bool = False
    host_oom_kills: int = 0


class SeatFds(NamedTuple):
    """Open descriptors of a running seat, all owned by whoever holds this value.

    ``stdout`` and ``stderr``: read ends. ``exit``: a pidfd, readable once the seat is gone.
    ``freeze``: write the seat's ``freeze_words``. ``kill``: write "1". ``cpu``: the counter file,
    read at offset 0. The last three are None where the level has no such thing.
    """

    stdout: int
    stderr: int
    exit: int
    freeze: int | None = None
    kill: int | None = None
    cpu: int | None = None


class SeatProcess(Protocol):
    """One running attempt."""

    @property
    def pid(self) -> int:
        """Process id, seen from the supervisor."""

    @property
    def fds(self) -> SeatFds:
        """Its descriptors. The supervisor closes them once they are handed to the worker."""

    @property
    def freeze_words(self) -> tuple[str, str]:
        """What to write to ``fds.freeze`` to freeze and to thaw."""

    def watch(self) -> None:
        """Look at the counters; end a tree that was out of memory or over its CPU time."""

    def kill(self) -> None:
        """Begin to end the whole tree. Does not wait."""

    def finish(self, timeout_s: float) -> Exit:
        """End the tree, wait for it at most ``timeout_s``, read the counters, remove all traces.

        Raises SandboxError if something is still alive after the wait; it may be tried again.
        """


class Backend(Protocol):
    """A way to start seats."""

    @property
    def level(self) -> Level:
        """What its seats promise."""

    @property
    def program(self) -> str:
        """The path of what makes the sandbox, for people to read."""

    @property
    def worker_group(self) -> Cgroup | None:
        """A group that holds the worker, so that all it may have started can be ended."""

    def start(self, spec: SeatSpec) -> SeatProcess:
        """Start one attempt and return at once. Raises SandboxError when it cannot."""

    def close(self) -> bool:
        """Remove what the backend itself keeps; False if something of it will not go.

        All its seats are finished by then, as far as they can be.
        """


def seat_environment(spec: SeatSpec, *, address: str, home: str) -> dict[str, str]:
    """The whole environment a bot sees. One thread for numpy's libraries: a seat has one core."""
    return {
        "DOMINOBOT_ADDRESS": address,
        "DOMINOBOT_TOKEN": spec.token,
        "HOME": home,
        "TMPDIR": home,
        "LANG": "C.UTF-8",
        "PATH": "/usr/bin:/bin",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONUNBUFFERED": "1",
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
    }
