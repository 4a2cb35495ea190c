"""The worker's choice of gRPC's poller, tried on the gRPC that is installed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

SERVE = """
import asyncio, os, sys
from arena.executors.worker import set_up_grpc
set_up_grpc()
import grpc.aio

async def main():
    server = grpc.aio.server()
    server.add_insecure_port("unix:" + sys.argv[1])
    await server.start()
    await server.stop(0)

asyncio.run(main())
print(os.environ.get("GRPC_EXPERIMENTS", ""))
"""


def serve(folder: Path, **more: str) -> subprocess.CompletedProcess[str]:
    """Set gRPC up as a worker does, and start and stop a server."""
    return subprocess.run(
        [sys.executable, "-c", SERVE, str(folder / "0.sock")],
        env={"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", **more},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_the_installed_grpc_knows_the_setting_that_workers_give_it(tmp_path: Path) -> None:
    """Else it complains on standard error, where users see it: then lower the last version."""
    done = serve(tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.strip() in ("-event_engine_listener", "")


def test_a_setting_of_the_users_own_is_kept(tmp_path: Path) -> None:
    done = serve(tmp_path, GRPC_EXPERIMENTS="-event_engine_client")
    assert done.returncode == 0
    assert done.stdout.strip() == "-event_engine_client"
