"""The supervisor's process: ``python -m arena.supervisor FD FD FD FD FD``."""

import sys

from arena.supervisor.server import main

sys.exit(main(sys.argv[1:]))
