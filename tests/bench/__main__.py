"""``python -m tests.bench [--quick] [--out FILE]``: measure, print a table, write bench.json.

What is compared is measured in turns within the same minute, several rounds, and given as
medians: on a shared machine trust the proportions.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
import time
from pathlib import Path
from typing import NamedTuple

from rich.console import Console

from arena.errors import ArenaError, SandboxError
from arena.sandbox.base import Level
from arena.sandbox.probe import best_level
from arena.sandbox.runtime import find_runtime
from tests.bench import echo, rules, seats
from tests.bench.memory import watch_run
from tests.bench.processes import run_s
from tests.bench.report import Figure, Section, save, show
from tests.bench.rig import Rig, Stretch


class Size(NamedTuple):
    """How much is measured."""

    rounds: int
    echoes: int
    matches: int
    marks: tuple[int, int]
    rules_s: float
    starts: int


FULL = Size(rounds=7, echoes=4000, matches=30, marks=(200, 2000), rules_s=0.8, starts=9)
QUICK = Size(rounds=3, echoes=1500, matches=16, marks=(20, 120), rules_s=0.3, starts=3)


def main() -> int:
    """Entry point. Returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a short run: less exact")
    parser.add_argument("--out", type=Path, default=Path("bench.json"))
    options = parser.parse_args()
    began = time.perf_counter()
    try:
        level = _level()
        sections = _measure(QUICK if options.quick else FULL, level)
    except ArenaError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    seconds = time.perf_counter() - began
    show(sections, Console(width=140))
    settings = {"quick": options.quick, "level": level.value, "seconds": round(seconds, 1)}
    save(sections, options.out, settings)
    print(f"level {level.value}; {seconds:.0f} s; written to {options.out}")
    return 0


def _level() -> Level:
    try:
        return best_level()
    except SandboxError as error:
        print(f"no sandbox here, measured without: {error}", file=sys.stderr)
        return Level.UNSAFE


def _measure(size: Size, level: Level) -> list[Section]:
    sections = []
    for step in (_rules, _commands, _seats, _matches, _memory):
        print(f"measuring: {step.__name__[1:]}", file=sys.stderr)
        sections += step(size, level)
    return sections


def _rules(size: Size, _: Level) -> list[Section]:
    pairs = [
        (
            rules.rounds_per_s(rules.immutable_round, size.rules_s),
            rules.rounds_per_s(rules.playout_round, size.rules_s),
        )
        for _ in range(size.rounds)
    ]
    unit = "rounds/CPU s"
    return [
        Section(
            "rules: random 2-seat famille rounds",
            [
                Figure("rules_immutable", "immutable", unit, [p[0] for p in pairs], "", "20,000"),
                Figure("rules_playout", "in place", unit, [p[1] for p in pairs], "", "60,000"),
            ],
        )
    ]


def _commands(size: Size, _: Level) -> list[Section]:
    figures = []
    for name in ("arena", "dominobot"):
        command = [str(Path(sys.executable).parent / name), "--help"]
        times = [run_s(command) for _ in range(size.starts)]
        figures.append(Figure(f"help_{name}", f"{name} --help", "s", times, "", "0.3"))
    return [Section("commands", figures)]


def _seats(size: Size, level: Level) -> list[Section]:
    seated, boxed, bare = [], [], []
    with seats.supervisor(level) as handle:
        for _ in range(size.starts):
            seated.append(asyncio.run(seats.seat_a_bot(handle)))
            boxed.append(seats.sandboxed_word_ms(handle))
            bare.append(seats.bare_word_ms())
    overhead = [full - plain for full, plain in zip(boxed, bare, strict=True)]
    figures = [
        Figure("hello_ms", "start of a bot to its Hello", "ms", [s.hello_ms for s in seated]),
        Figure("bare_ms", "bare start of Python to its first word", "ms", bare),
        Figure("launch_overhead_ms", "what the sandbox adds to that", "ms", overhead),
        Figure("kill_ms", "kill to empty and removed", "ms", [s.kill_ms for s in seated]),
    ]
    freezes = [s.freeze_us for s in seated if s.freeze_us is not None]
    if freezes:
        figures.append(Figure("freeze_us", "freeze and thaw of an idle bot", "us", freezes))
    return [Section(f"a seat at level {level.value}", figures)]


class _Round(NamedTuple):
    free: echo.Echo
    shared: echo.Echo
    one: Stretch
    pinned: Stretch
    many: Stretch


def _matches(size: Size, level: Level) -> list[Section]:
    jobs = len(os.sched_getaffinity(0))
    rounds = asyncio.run(_play_rounds(size, level, jobs))
    free = Figure("echo_cpu_us", "arena CPU a round trip", "us", [r.free.cpu_us for r in rounds])
    shared = Figure(
        "echo_one_core_cpu_us",
        "... with both sides on one core",
        "us",
        [r.shared.cpu_us for r in rounds],
    )
    echoes = [
        free,
        Figure("echo_wall_us", "wall a round trip", "us", [r.free.wall_us for r in rounds]),
        shared,
        Figure(
            "echo_one_core_wall_us",
            "... with both sides on one core",
            "us",
            [r.shared.wall_us for r in rounds],
        ),
    ]
    both = (free, shared)
    return [
        Section(f"bare echo, questions of {rounds[0].free.question_bytes:.0f} bytes", echoes),
        _stretches("one", "one worker", [r.one for r in rounds], 1, both),
        _stretches("one_core", "one worker on one core", [r.pinned for r in rounds], 1, both),
        _stretches("many", f"{jobs} workers", [r.many for r in rounds], jobs, both),
    ]


async def _play_rounds(size: Size, level: Level, jobs: int) -> list[_Round]:
    python = find_runtime().python
    core = min(os.sched_getaffinity(0))
    rigs = one, pinned, many = Rig(level, 1), Rig(level, 1, core), Rig(level, jobs)
    rounds = []
    try:
        for rig in rigs:
            await rig.start()
            await rig.warm_up()
        for _ in range(size.rounds):
            rounds.append(
                _Round(
                    echo.measure(python, size.echoes),
                    echo.measure(python, size.echoes, core),
                    await one.play(size.matches),
                    await pinned.play(size.matches),
                    await many.play(size.matches),
                )
            )
    finally:
        for rig in rigs:
            await rig.close()
    return rounds


def _stretches(
    key: str, title: str, stretches: list[Stretch], jobs: int, echoes: tuple[Figure, Figure]
) -> Section:
    cpu = Figure(f"{key}_cpu_us", "worker CPU a decision", "us", [s.cpu_us for s in stretches])
    free, shared = (cpu.value / figure.value for figure in echoes)
    beside = f"{free:.2f} x echo, {shared:.2f} x on one core"
    wall = [s.wall_us * jobs for s in stretches]
    decisions = [s.decisions / s.wall_s for s in stretches]
    matches = [s.matches / s.wall_s for s in stretches]
    return Section(
        f"two random bots, {title}",
        [
            cpu._replace(beside=beside, goal="200, or 1.9 x echo"),
            Figure(f"{key}_wall_us", "wall a decision and worker", "us", wall),
            Figure(f"{key}_decisions", "decisions", "a second", decisions),
            Figure(f"{key}_matches", "matches", "a second", matches),
        ],
    )


def _memory(size: Size, level: Level) -> list[Section]:
    seen = watch_run(size.marks, level)
    figures = []
    for part in ("worker", "supervisor", "main"):
        early, late = (getattr(sample, part) for sample in seen.samples)
        beside = f"{late - early:+.1f} MiB"
        for mark, value in zip(size.marks, (early, late), strict=True):
            name = f"{part} after {mark:,} matches"
            key = f"rss_{part}_{mark}"
            figures.append(
                Figure(key, name, "MiB", [value], beside if mark == size.marks[1] else "")
            )
    rate = size.marks[1] / seen.wall_s
    figures += [
        Figure("peak_worker", "worker, at most", "MiB", [seen.worker_peak]),
        Figure("run_matches", "matches, saved and all", "a second", [rate]),
    ]
    return [Section("resident memory, arena run --jobs 1", figures)]


if __name__ == "__main__":
    sys.exit(main())
