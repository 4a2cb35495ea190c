"""What bubblewrap is told: the isolation, the view, the writable places of a seat."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath

from arena.sandbox.base import SeatSpec, seat_environment

HOME = "/tmp"
BOT = "/bot"
SOCKET = "/run/arena.sock"
ARGS_FD, FILTER_FD, STATUS_FD = 3, 4, 5

_DEVICES = ("null", "zero", "full", "random", "urandom")
_SYSTEM_LINKS = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")
_LOADER_CACHE = "/etc/ld.so.cache"
_TIGHT = ["--remount-ro", "/dev", "--remount-ro", "/"]


def seat_options(spec: SeatSpec, runtime_paths: Sequence[str], *, has_userns: bool) -> list[str]:
    """All options for one attempt."""
    env = seat_environment(spec, address=f"unix:{SOCKET}", home=HOME)
    return [
        *_isolation(env, has_userns=has_userns),
        # Before the view: a runtime that lies below /tmp must not be hidden by this.
        *_writable(HOME, spec.limits.tmp_bytes),
        *_view(runtime_paths),
        *_show(spec.folder, BOT),
        *_show(spec.socket, SOCKET),
        *("--chdir", BOT),
        *_writable("/dev/shm", spec.limits.shm_bytes),
        *_TIGHT,
    ]


def trial_options(runtime_paths: Sequence[str], *, has_userns: bool) -> list[str]:
    """The same sandbox without a bot in it."""
    return [*_isolation({}, has_userns=has_userns), *_view(runtime_paths), *_TIGHT]


def _isolation(env: Mapping[str, str], *, has_userns: bool) -> list[str]:
    if has_userns:
        options = ["--unshare-all", "--unshare-user", "--disable-userns", "--cap-drop", "ALL"]
    else:
        options = ["--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts"]
        options += ["--unshare-cgroup-try", "--cap-drop", "ALL"]
        # Only for the program that becomes the seat's user, inside; it gives them up with that.
        for capability in ("CAP_SETUID", "CAP_SETGID", "CAP_SETPCAP"):
            options += ["--cap-add", capability]
    options += ["--die-with-parent", "--new-session", "--hostname", "seat", "--clearenv"]
    for name, value in env.items():
        options += ["--setenv", name, value]
    return [*options, "--seccomp", str(FILTER_FD), "--json-status-fd", str(STATUS_FD)]


def _view(runtime_paths: Sequence[str]) -> list[str]:
    """/usr, the runtime at its own path, five devices. No /proc, /sys, /etc, /home."""
    view = [*_show("/usr", "/usr"), *_show(_LOADER_CACHE, _LOADER_CACHE, "--ro-bind-try")]
    for name in _SYSTEM_LINKS:
        path = Path("/") / name
        if path.is_symlink():
            view += ["--symlink", str(path.readlink()), str(path)]
        elif path.is_dir():
            view += _show(str(path), str(path))
    for shown in runtime_paths:
        view += _show(shown, shown)
    view += ["--perms", "0755", "--size", "65536", "--tmpfs", "/dev"]
    for device in _DEVICES:
        view += ["--dev-bind", f"/dev/{device}", f"/dev/{device}"]
    return view


def _show(path: str, place: str, how: str = "--ro-bind") -> list[str]:
    """Bind read-only, below parents that anybody may pass (bwrap makes its own 0700)."""
    parents = [str(parent) for parent in reversed(PurePosixPath(place).parents)][1:]
    options = [word for parent in parents for word in ("--perms", "0755", "--dir", parent)]
    return [*options, how, path, place]


def _writable(path: str, size: int) -> list[str]:
    # For everybody, since without a user namespace bwrap makes it as root; nobody else is inside.
    return ["--perms", "1777", "--size", str(size), "--tmpfs", path]
