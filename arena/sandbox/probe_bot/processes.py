"""Runs inside a seat: starts processes until one is refused, says how many, and stays."""

import os
import signal
import time


def main() -> None:
    """Children of sessions of their own that ignore a polite end."""
    count = 0
    try:
        while count < 1024:
            if os.fork() == 0:
                os.setsid()
                signal.signal(signal.SIGTERM, signal.SIG_IGN)
                time.sleep(60)
                os._exit(0)
            count += 1
    except OSError:
        pass
    print(count, flush=True)
    time.sleep(60)


if __name__ == "__main__":
    main()
