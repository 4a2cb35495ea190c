"""A tiny arena of one seat, to talk to a real bot process over a real socket.

For tests of what only shows on the wire: that a bot connects, answers in time, and leaves well. The
other seats are played by choosers in the test's own process. Needs grpc, so it is not in
``dominobot.testing``:

    async with ScriptedArena(tmp_path) as arena:
        await arena.start_bot(folder)
        await arena.hello()
        result = await arena.play_match(Match(variant, decks), seat=0, choose=random_chooser(1))
        exit_code = await arena.goodbye()
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import grpc
from grpc import aio

from dominobot.errors import WireError
from dominobot.manifest import read_manifest
from dominobot.rules import Match, MatchResult
from dominobot.rules.play import Chooser
from dominobot.wire import codec
from dominobot.wire.v1 import match_pb2 as pb
from dominobot.wire.v1.match_pb2_grpc import ArenaServicer, add_ArenaServicer_to_server

TOKEN = "a-token-for-tests"
MOVE_LIMIT_MS = 1000
BANK_MS = 5000
LIMIT_S = 10.0
"""No message of a bot is waited for longer."""


class ScriptedArena:
    """An arena for one bot process; ``folder`` is where its socket is made.

    ``log`` is what the process wrote to stdout and stderr, filled when it has left. Leaving the
    block kills the process if it is still there.
    """

    def __init__(self, folder: Path) -> None:
        self.address = f"unix:{folder / 'arena.sock'}"
        self.log = ""
        self._server = aio.server()
        self._pump = _Pump()
        self._process: asyncio.subprocess.Process | None = None
        self._decision_id = 0
        self._seen: dict[int, int] = {}

    async def __aenter__(self) -> Self:
        add_ArenaServicer_to_server(self._pump, self._server)
        self._server.add_insecure_port(self.address)
        await self._server.start()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._process is not None and self._process.returncode is None:
            self._process.kill()
            await self._process.communicate()
        await self._server.stop(None)

    async def start_bot(self, folder: Path) -> None:
        """Start the bot of a folder as an arena does: its entry, in its folder.

        Raises ManifestError.
        """
        await self.start_process(folder, read_manifest(folder).entry)

    async def start_process(self, folder: Path, entry: str) -> None:
        """Start a Python file in a folder with the variables of a bot."""
        environment = {
            "DOMINOBOT_ADDRESS": self.address,
            "DOMINOBOT_TOKEN": TOKEN,
            "PATH": os.environ.get("PATH", ""),
        }
        self._process = await asyncio.create_subprocess_exec(
            sys.executable,
            entry,
            cwd=folder,
            env=environment,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )

    async def send(self, **body: Any) -> None:
        """Send a message: one field of PlayResponse, for example ``goodbye=pb.Goodbye()``."""
        await self._pump.outgoing.put(pb.PlayResponse(**body))

    async def receive(self) -> pb.PlayRequest:
        """The bot's next message. Raises TimeoutError after LIMIT_S, WireError at its end."""
        async with asyncio.timeout(LIMIT_S):
            request = await self._pump.incoming.get()
        if request is None:
            raise WireError("the bot ended its stream")
        return request

    async def hello(self) -> pb.Hello:
        """Wait for the bot's Hello and welcome it, at strict pace."""
        request = await self.receive()
        if request.WhichOneof("body") != "hello":
            raise WireError(f"the bot did not begin with Hello: {request}")
        await self.send(
            welcome=pb.Welcome(
                move_limit_ms=MOVE_LIMIT_MS, bank_ms=BANK_MS, strict=True, batch_limit=1
            )
        )
        return request.hello

    async def start_game(
        self, match: Match, *, seat: int, game_id: int = 1, bot_seed: int = 1
    ) -> None:
        """Begin a game with the bot at ``seat`` and wait until it is ready."""
        start = codec.game_start(game_id, match.variant, seat, bot_seed)
        self._seen[game_id] = 0
        await self.send(game_start=start)
        await self._ready(game_id)

    def question(
        self, match: Match, *, seat: int, choose: Chooser, game_id: int = 1
    ) -> pb.Question | None:
        """Play on until the bot has a decision, and put it; None if the match is over."""
        while (decision := match.next_decision()) is not None:
            if decision.seat == seat:
                self._decision_id += 1
                seen, self._seen[game_id] = self._seen[game_id], len(match.events)
                return codec.question(
                    game_id, self._decision_id, match, decision, seen, MOVE_LIMIT_MS, BANK_MS
                )
            match.play(choose(match.view(decision.seat)))
        return None

    async def play_match(
        self, match: Match, *, seat: int, choose: Chooser, game_id: int = 1, bot_seed: int = 1
    ) -> MatchResult:
        """Play a whole match with the bot at ``seat``; ``choose`` decides for all other seats.

        Raises IllegalPlay if the bot plays what is not allowed, TimeoutError, WireError.
        """
        await self.start_game(match, seat=seat, game_id=game_id, bot_seed=bot_seed)
        while question := self.question(match, seat=seat, choose=choose, game_id=game_id):
            await self.send(questions=pb.Questions(questions=[question]))
            [answer] = (await self.receive()).answers.answers
            decision_id, play = codec.read_answer(answer)
            if decision_id != question.decision_id:
                raise WireError(f"asked {question.decision_id}, the bot answered {decision_id}")
            match.play(play)
        result = match.result()
        end = codec.game_end(
            game_id,
            match,
            self._seen.pop(game_id),
            "ROUND_CAP" if result.is_capped else "TARGET_REACHED",
            result.ranks,
            result.scores,
            None,
        )
        await self.send(game_end=end)
        await self._ready(game_id)
        return result

    async def vanish(self) -> None:
        """Stop serving without a goodbye."""
        await self._server.stop(None)

    async def goodbye(self, reason: str = "") -> int:
        """End the series; the exit code of the process."""
        await self.send(goodbye=pb.Goodbye(reason=reason))
        return await self.left()

    async def left(self) -> int:
        """Wait until the process has left; its exit code. Raises TimeoutError after LIMIT_S."""
        if self._process is None:
            raise WireError("no bot was started")
        async with asyncio.timeout(LIMIT_S):
            output, _ = await self._process.communicate()
        self.log = output.decode(errors="replace")
        assert self._process.returncode is not None
        return self._process.returncode

    async def _ready(self, game_id: int) -> None:
        request = await self.receive()
        if request.WhichOneof("body") != "ready" or request.ready.game_id != game_id:
            raise WireError(f"the bot did not say Ready for game {game_id}: {request}")


class _Pump(ArenaServicer):
    """Moves messages between the stream and two queues."""

    def __init__(self) -> None:
        self.incoming: asyncio.Queue[pb.PlayRequest | None] = asyncio.Queue()
        self.outgoing: asyncio.Queue[pb.PlayResponse] = asyncio.Queue()

    async def Play(  # noqa: N802 - the name in the .proto file
        self,
        request_iterator: AsyncIterator[pb.PlayRequest],
        context: aio.ServicerContext[pb.PlayRequest, pb.PlayResponse],  # noqa: ARG002
    ) -> AsyncIterator[pb.PlayResponse]:
        """Serve one stream until the bot leaves."""
        reader = asyncio.create_task(self._read(request_iterator))
        try:
            while True:
                response = await self.outgoing.get()
                yield response
                if response.WhichOneof("body") == "goodbye":
                    return
        finally:
            reader.cancel()

    async def _read(self, requests: AsyncIterator[pb.PlayRequest]) -> None:
        try:
            async for request in requests:
                await self.incoming.put(request)
        except grpc.RpcError:
            pass
        await self.incoming.put(None)
