"""The ``arena`` command, one file a command."""
