"""What a supervisor stands on: users for worker and seats, and how folders become reachable.

:class:`OrdinaryGround` is an ordinary user's: everything runs as that user and is found where it
is. Root's ground gives each seat a user of its own.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Protocol

from arena.errors import SandboxError


class Ground(Protocol):
    """Users and reachable folders of one job."""

    @property
    def worker_uid(self) -> int | None:
        """The worker's own user and group, None when it is the arena's user."""

    @property
    def is_private(self) -> bool:
        """Whether this process has left the host's mounts, and so may leave more of it."""

    def take_uid(self) -> int | None:
        """Claim a seat user that nobody has; None where seats have none."""

    def give_back(self, uid: int | None) -> None:
        """Release a seat user."""

    def show_bot(self, folder: str, seat: int) -> str:
        """Make a bot's folder readable for its seat; the path at which it is."""

    def hide_bots(self) -> None:
        """Undo every :meth:`show_bot`."""

    def close(self) -> None:
        """Release all users."""


class OrdinaryGround:
    """No users to give, nothing to move."""

    worker_uid: int | None = None
    is_private = False

    def take_uid(self) -> int | None:
        """Seats run as the arena's user."""
        return None

    def give_back(self, uid: int | None) -> None:
        """Nothing was claimed."""

    def show_bot(self, folder: str, seat: int) -> str:
        """The folder itself. Raises SandboxError when it is not a folder one can enter."""
        if not (Path(folder).is_dir() and os.access(folder, os.R_OK | os.X_OK)):
            raise SandboxError(f"seat {seat}: the bot folder {folder} cannot be read")
        return folder

    def hide_bots(self) -> None:
        """Nothing was shown."""

    def close(self) -> None:
        """Nothing is kept."""
