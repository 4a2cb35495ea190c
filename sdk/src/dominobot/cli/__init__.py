"""The ``dominobot`` command."""
