"""One-line notes of a supervisor to whoever reads its output."""

from __future__ import annotations

import sys
from contextlib import suppress


def note(sentence: str) -> None:
    """Print a line to stderr. That nobody reads it any more must not stop what is going on."""
    with suppress(OSError, ValueError):
        print(f"supervisor: {sentence}", file=sys.stderr, flush=True)
