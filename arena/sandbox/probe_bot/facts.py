"""Runs inside a seat and reports, as JSON, what a bot can see and do there.

It only tries and tells; what is right is judged outside. Standard library only.
"""

import ctypes
import errno
import fcntl
import json
import os
import resource
import socket
import sys

LIBC = ctypes.CDLL(None, use_errno=True)
# Numbers of x86_64; the same from 424 on everywhere, so other machines try the newer ones only.
CALLS = {
    "ptrace": (101, 16, 1, 0, 0),
    "process_vm_readv": (310, 1, 0, 0, 0, 0, 0),
    "unshare": (272, 0x1000_0000),
    "mount": (165, 0, 0, 0, 0, 0),
    "keyctl": (250, 0, -3, 1),
    "bpf": (321, 0, 0, 0),
    "userfaultfd": (323, 0),
    "perf_event_open": (298, 0, 0, -1, -1, 0),
    "io_uring_setup": (425, 1, 0),
    "clone3": (435, 0, 0),
    "pidfd_open": (434, 1, 0),
    "landlock_create_ruleset": (444, 0, 0, 1),
    "made_up": (4000,),
}
NEWER = 424
X32, GETPID = 0x4000_0000, 39


def call(*numbers: int) -> str:
    """The name of the error a system call gives, or "done"."""
    if os.uname().machine != "x86_64" and numbers[0] < NEWER:
        return "not tried"
    if LIBC.syscall(*(ctypes.c_long(number) for number in numbers)) == -1:
        return errno.errorcode.get(ctypes.get_errno(), str(ctypes.get_errno()))
    return "done"


def other_abi() -> int:
    """The signal that ends a process which makes a system call by the x32 ABI; 0 for none."""
    if os.uname().machine != "x86_64":
        return -1
    child = os.fork()
    if child == 0:
        LIBC.syscall(ctypes.c_long(X32 | GETPID))
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) * -1


def families() -> list[int]:
    """Socket families that can be opened."""
    found = []
    for family in range(1, 46):
        for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW):
            try:
                socket.socket(family, kind).close()
            except OSError:
                continue
            found.append(family)
            break
    return found


def attempt_to_write(folder: str) -> str:
    """The name of the error that making a file gives, or "done"."""
    try:
        with open(os.path.join(folder, "probe"), "w") as file:  # noqa: PTH118, PTH123
            file.write("x")
    except OSError as error:
        return errno.errorcode.get(error.errno or 0, str(error))
    return "done"


def lock(path: str) -> str:
    """The name of the error that a file lock gives, or "done"."""
    try:
        with open(path, "rb") as file:  # noqa: PTH123
            fcntl.flock(file, fcntl.LOCK_SH)
    except OSError as error:
        return errno.errorcode.get(error.errno or 0, str(error))
    return "done"


def is_open(fd: int) -> bool:
    """Whether a descriptor is there."""
    try:
        os.fstat(fd)
    except OSError:
        return False
    return True


def size(folder: str) -> int:
    """Bytes a file system holds."""
    seen = os.statvfs(folder)
    return seen.f_blocks * seen.f_frsize


def facts() -> dict[str, object]:
    """Everything there is to tell."""
    limits = {
        name: resource.getrlimit(getattr(resource, f"RLIMIT_{name}"))[1]
        for name in ("NPROC", "NOFILE", "FSIZE", "CORE")
    }
    return {
        "pid": os.getpid(),
        "ids": [*os.getresuid(), *os.getresgid(), *os.getgroups()],
        "environment": sorted(os.environ),
        "root": sorted(os.listdir("/")),  # noqa: PTH208
        "devices": sorted(os.listdir("/dev")),  # noqa: PTH208
        "hostname": os.uname().nodename,
        "has_socket": os.path.exists("/run/arena.sock"),  # noqa: PTH110
        "families": families(),
        "calls": {name: call(*numbers) for name, numbers in CALLS.items()},
        "other_abi": other_abi(),
        "seccomp": LIBC.prctl(21, 0, 0, 0, 0),
        "no_new_privileges": LIBC.prctl(39, 0, 0, 0, 0),
        "bounding_set": [n for n in range(41) if LIBC.prctl(23, n, 0, 0, 0) == 1],
        "writes": {d: attempt_to_write(d) for d in ("/", "/usr", "/bot", "/dev", "/run", "/tmp")},
        "sizes": {folder: size(folder) for folder in ("/tmp", "/dev/shm")},
        "descriptors": [fd for fd in range(256) if is_open(fd)],
        "lock": lock("/usr/bin/env"),
        "limits": limits,
        "python": sys.executable,
    }


if __name__ == "__main__":
    print(json.dumps(facts()))
