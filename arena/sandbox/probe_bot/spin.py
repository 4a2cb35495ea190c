"""Runs inside a seat and burns CPU in two processes until it is ended."""

import os

if __name__ == "__main__":
    os.fork()
    print("spinning", flush=True)
    while True:
        pass
