"""The arena's errors, as a tree.

    ArenaError                what a person can mend; one line, exit code 2
    ├── ConfigError           an option, a file or a name that cannot be used
    ├── BundleError           a bot folder or archive that cannot be entered
    ├── StoreError            a database that cannot be opened, read or written
    │   └── ResultConflict    two different results for one match
    └── SandboxError          a sandbox that cannot be had

A bot's fault is never an exception: it is a value (``arena.core.verdict``).
"""


class ArenaError(Exception):
    """Something a person can mend. The text names the thing and the way out, in one line."""


class ConfigError(ArenaError):
    """An option, a file or a name that cannot be used."""


class BundleError(ArenaError):
    """A bot folder or archive that cannot be entered."""


class StoreError(ArenaError):
    """A database that cannot be opened, read or written."""


class ResultConflict(StoreError):  # noqa: N818 - it names the event
    """Two different results were reported for one match."""


class SandboxError(ArenaError):
    """A sandbox that cannot be had, or that broke."""
