"""Exits before it connects."""

import sys

sys.exit(7)
