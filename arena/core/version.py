"""One version of a bot: what the manifest says, and the digest of its files."""

from __future__ import annotations

from typing import Any, NamedTuple

from arena.core.schedule import BotRef


class BotVersion(NamedTuple):
    """One version of a bot. Identical files make the same ``digest`` (64 hex digits).

    ``manifest`` is bot.toml in JSON form, ``size_bytes`` the sum of the files, unpacked.
    """

    name: str
    digest: str
    manifest: dict[str, Any]
    size_bytes: int
    n_files: int

    @property
    def ref(self) -> BotRef:
        """Name and digest: how a tournament names it."""
        return BotRef(self.name, self.digest)
