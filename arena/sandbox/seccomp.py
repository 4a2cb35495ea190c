"""Builds the seccomp filter from the table, as the bytes that bwrap loads."""

from __future__ import annotations

import errno
import functools
import os
from typing import Any

from arena.errors import SandboxError
from arena.sandbox.syscalls import ALLOWED, ANSWERED, BECOMING, BECOMING_RULES, RULES


@functools.cache
def filter_bytes(*, becomes_user: bool = False) -> bytes:
    """The compiled filter for this machine. ``becomes_user`` lets a program change its user.

    A call by another ABI (32 bit, x32) ends the process.

    Raises:
        SandboxError: libseccomp or its Python binding is missing.
    """
    try:
        import pyseccomp
    except (ImportError, OSError, RuntimeError) as error:
        raise SandboxError(
            f"libseccomp cannot be used ({error}): install it (apt-get install libseccomp2)"
        ) from error
    try:
        return _build(pyseccomp, becomes_user=becomes_user)
    except OSError as error:
        raise SandboxError(f"the seccomp filter cannot be built: {error}") from error


def _build(library: Any, *, becomes_user: bool) -> bytes:
    table = library.SyscallFilter(library.ERRNO(errno.ENOSYS))
    for name in (*ALLOWED, *(BECOMING if becomes_user else ())):
        if _is_known(library, name):
            table.add_rule(library.ALLOW, name)
    for name, answer in ANSWERED.items():
        if _is_known(library, name):
            table.add_rule(library.ERRNO(answer), name)
    tests = {"is": library.EQ, "is not": library.NE, "has none of": library.MASKED_EQ}
    for rule in (*RULES, *(BECOMING_RULES if becomes_user else ())):
        if _is_known(library, rule.name):
            action = library.ALLOW if rule.answer is None else library.ERRNO(rule.answer)
            conditions = [
                library.Arg(one.argument, tests[one.test], one.value, 0) for one in rule.when
            ]
            table.add_rule(action, rule.name, *conditions)
    # A call by another ABI would have to be filtered by another table: it ends the process.
    table.set_attr(library.Attr.ACT_BADARCH, library.KILL_PROCESS)
    fd = os.memfd_create("filter", os.MFD_CLOEXEC)
    with os.fdopen(fd, "w+b") as file:
        table.export_bpf(file)
        file.seek(0)
        return file.read()


def _is_known(library: Any, name: str) -> bool:
    """Whether this machine has the call. Other machines' names resolve to negative numbers."""
    try:
        return bool(library.resolve_syscall(library.Arch.NATIVE, name) >= 0)
    except (OSError, ValueError):
        return False
