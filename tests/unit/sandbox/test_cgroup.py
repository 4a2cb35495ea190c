"""Control groups of each generation, on trees of plain files."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from arena.errors import SandboxError
from arena.sandbox.base import MIB, Limits
from arena.sandbox.cgroup import Cgroup, JobCgroups
from arena.sandbox.cgroup_files import CONTROLLERS, Layout, find_layout

LIMITS = Limits(memory_bytes=64 * MIB, processes=20, cpu_cores=0.5)
V2_FILES = ("memory.max", "memory.swap.max", "memory.oom.group", "pids.max", "cpu.max")
V2_CORE = ("cgroup.procs", "cgroup.freeze", "cgroup.kill")


def v2_only(mount: Path) -> Layout:
    return Layout({}, mount, frozenset({*CONTROLLERS, "io"}))


def fill(folder: Path, files: dict[str, str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name).write_text(text)


def test_only_version_2_is_found() -> None:
    text = "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate"
    layout = find_layout(text)
    assert layout.v2 == Path("/sys/fs/cgroup")
    assert layout.v1 == {}


def test_version_1_with_joined_controllers_is_found() -> None:
    text = "\n".join(
        [
            "30 23 0:26 / /cg/cpu,cpuacct rw shared:4 - cgroup cgroup rw,cpu,cpuacct",
            "31 23 0:27 / /cg/memory rw - cgroup cgroup rw,memory",
            "32 23 0:28 / /cg/pids rw - cgroup cgroup rw,pids",
            "33 23 0:29 / /cg/freezer rw - cgroup cgroup rw,freezer",
            "34 23 0:30 / /tmp rw - tmpfs tmpfs rw",
        ]
    )
    layout = find_layout(text)
    assert layout.kind == "v1"
    assert layout.v1["cpu"] == layout.v1["cpuacct"] == Path("/cg/cpu,cpuacct")
    wanted = ["/cg/memory", "/cg/pids", "/cg/cpu,cpuacct", "/cg/freezer"]
    assert [str(mount) for mount in layout.mounts()] == wanted


def test_a_hybrid_host_limits_by_version_1_and_freezes_by_version_2(tmp_path: Path) -> None:
    v1 = {name: tmp_path / name for name in (*CONTROLLERS, "freezer")}
    layout = Layout(v1, tmp_path / "unified", frozenset({"hugetlb"}))
    assert layout.kind == "hybrid"
    group = Cgroup(layout, "domino-arena/job/s0-0")
    group.create()
    for name in CONTROLLERS:
        (v1[name] / "domino-arena/job/s0-0").is_dir()
    assert not (v1["freezer"] / "domino-arena").exists()
    assert group.freeze_words == ("1", "0")
    assert str(tmp_path / "unified/domino-arena/job/s0-0/cgroup.procs") in group.entries


def test_a_host_without_controllers_is_said() -> None:
    assert find_layout("").kind == "none"
    with pytest.raises(SandboxError, match="no cgroup controller for memory, pids, cpu"):
        JobCgroups(find_layout(""), "job")


def test_version_2_hands_controllers_down_from_the_top(tmp_path: Path) -> None:
    for folder in ("", "domino-arena", "domino-arena/job"):
        fill(tmp_path / folder, {"cgroup.subtree_control": ""})
    JobCgroups(v2_only(tmp_path), "job")
    for folder in ("", "domino-arena", "domino-arena/job"):
        control = (tmp_path / folder / "cgroup.subtree_control").read_text()
        assert control == "+memory +pids +cpu"


def test_controllers_that_are_handed_down_already_are_left_alone(tmp_path: Path) -> None:
    for folder in ("", "domino-arena", "domino-arena/job"):
        fill(tmp_path / folder, {"cgroup.subtree_control": "cpu io memory pids"})
    JobCgroups(v2_only(tmp_path), "job")
    assert (tmp_path / "cgroup.subtree_control").read_text() == "cpu io memory pids"


def test_a_tree_that_is_not_ours_is_an_error_with_the_way_out(tmp_path: Path) -> None:
    with pytest.raises(SandboxError, match=r"subtree_control.*-v /sys/fs/cgroup"):
        JobCgroups(v2_only(tmp_path), "job")


def test_version_2_limits(tmp_path: Path) -> None:
    folder = tmp_path / "domino-arena/job/s0-0"
    fill(folder, dict.fromkeys((*V2_FILES, *V2_CORE), ""))
    Cgroup(v2_only(tmp_path), "domino-arena/job/s0-0").limit(LIMITS)
    written = {name: (folder / name).read_text() for name in V2_FILES}
    assert written == {
        "memory.max": str(64 * MIB),
        "memory.swap.max": "0",
        "memory.oom.group": "1",
        "pids.max": "20",
        "cpu.max": "50000 100000",
    }


def test_version_2_without_swap_files_still_limits(tmp_path: Path) -> None:
    folder = tmp_path / "g"
    fill(folder, {"memory.max": "", "pids.max": "", "cpu.max": ""})
    Cgroup(v2_only(tmp_path), "g").limit(LIMITS)
    assert sorted(path.name for path in folder.iterdir()) == ["cpu.max", "memory.max", "pids.max"]


def test_version_2_counters(tmp_path: Path) -> None:
    fill(
        tmp_path / "g",
        {
            "memory.events": "low 0\nhigh 0\nmax 12\noom 3\noom_kill 2\noom_group_kill 1\n",
            "memory.peak": "67108864\n",
            "pids.events": "max 5\n",
            "cpu.stat": "usage_usec 1500000\nuser_usec 1\nsystem_usec 2\n",
        },
    )
    counters = Cgroup(v2_only(tmp_path), "g").counters()
    assert counters == (2, 5, 1.5, 67108864, 0)


def test_a_kill_in_a_group_that_never_met_its_limit_is_the_hosts(tmp_path: Path) -> None:
    fill(tmp_path / "g", {"memory.events": "max 0\noom 0\noom_kill 1\n"})
    counters = Cgroup(v2_only(tmp_path), "g").counters()
    assert (counters.oom_kills, counters.host_oom_kills) == (0, 1)


def test_an_old_kernel_that_keeps_no_peak_says_none(tmp_path: Path) -> None:
    fill(tmp_path / "g", {"memory.events": "oom_kill 0\n"})
    assert Cgroup(v2_only(tmp_path), "g").counters() == (0, 0, 0.0, None, 0)


def test_version_2_freezes_kills_and_knows_when_it_is_empty(tmp_path: Path) -> None:
    folder = tmp_path / "g"
    fill(folder, {**dict.fromkeys(V2_CORE, ""), "cgroup.events": "populated 1\nfrozen 0\n"})
    group = Cgroup(v2_only(tmp_path), "g")
    assert not group.is_empty()
    group.kill()
    assert (folder / "cgroup.kill").read_text() == "1"
    fd = group.open_freeze()
    assert fd is not None
    os.write(fd, group.freeze_words[0].encode())
    os.close(fd)
    assert (folder / "cgroup.freeze").read_text() == "1"
    (folder / "cgroup.events").write_text("populated 0\nfrozen 0\n")
    assert group.is_empty()
    assert group.end(0.0)


def test_a_group_that_does_not_empty_is_given_up_in_time(tmp_path: Path) -> None:
    fill(tmp_path / "g", {"cgroup.events": "populated 1\n", "cgroup.kill": ""})
    assert not Cgroup(v2_only(tmp_path), "g").end(0.0)


def test_version_1_limits_and_counters(tmp_path: Path) -> None:
    v1 = {name: tmp_path / name for name in (*CONTROLLERS, "cpuacct", "freezer")}
    fill(v1["memory"] / "g", {"memory.limit_in_bytes": "", "memory.memsw.limit_in_bytes": ""})
    fill(v1["pids"] / "g", {"pids.max": "", "pids.events": "max 7\n"})
    fill(v1["cpu"] / "g", {"cpu.cfs_period_us": "", "cpu.cfs_quota_us": ""})
    fill(v1["cpuacct"] / "g", {"cpuacct.usage": "2500000000\n"})
    fill(v1["freezer"] / "g", {"freezer.state": ""})
    group = Cgroup(Layout(v1, None, frozenset()), "g")
    group.limit(LIMITS)
    memory = v1["memory"] / "g"
    assert (memory / "memory.limit_in_bytes").read_text() == str(64 * MIB)
    assert (memory / "memory.memsw.limit_in_bytes").read_text() == str(64 * MIB)
    assert (v1["cpu"] / "g/cpu.cfs_quota_us").read_text() == "50000"
    fill(
        memory,
        {
            "memory.oom_control": "oom_kill_disable 0\nunder_oom 0\noom_kill 4\n",
            "memory.max_usage_in_bytes": f"{64 * MIB - 4096}\n",
            "cgroup.procs": "",
        },
    )
    assert group.counters() == (4, 7, 2.5, 64 * MIB - 4096, 0)
    (memory / "memory.max_usage_in_bytes").write_text("1024\n")
    assert group.counters() == (0, 7, 2.5, 1024, 4), "it was not its own limit"
    assert group.freeze_words == ("FROZEN", "THAWED")
    assert group.open_kill() is None
    assert group.is_empty()
    group.kill()
    assert (v1["freezer"] / "g/freezer.state").read_text() == "THAWED"


def test_removing_what_is_gone_is_no_error(tmp_path: Path) -> None:
    assert Cgroup(v2_only(tmp_path), "g").remove(0.0)
