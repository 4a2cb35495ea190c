"""How many open files seats may have, so that they cannot use up their worker's.

Every connection that a bot opens to its socket costs the worker a descriptor, and every process of
a bot can open as many as it may have files: without this bound one bot could keep another from
connecting.
"""

from __future__ import annotations

import resource

from arena.errors import SandboxError
from arena.sandbox.base import Limits

WORKER_FILES = 512
"""What a worker needs besides the connections of its bots."""
LEAST_FILES = 24
"""A bot that speaks gRPC has about ten files open."""


def needed(limits: Limits, seats: int) -> int:
    """How many descriptors a worker with so many seats must be able to have."""
    return seats * limits.processes * limits.open_files + WORKER_FILES


def fitted(limits: Limits, seats: int) -> Limits:
    """The limits, with as many open files as the host's hard limit leaves room for.

    Raises:
        SandboxError: they would be too few to play with.
    """
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard == resource.RLIM_INFINITY or hard >= needed(limits, seats):
        return limits
    most = max(0, hard - WORKER_FILES) // (seats * limits.processes)
    if most < min(LEAST_FILES, limits.open_files):
        raise SandboxError(
            f"the hard limit of {hard} open files leaves {most} to each process of {seats} bots: "
            f"raise it (ulimit -Hn {needed(limits, seats)})"
        )
    return limits._replace(open_files=most)
