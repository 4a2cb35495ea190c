"""Job folders, seat users, the bots' runtime: what is found, refused and removed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from arena.errors import SandboxError
from arena.sandbox.jobs import Job, prepare_root, remove, shared_root, sweep
from arena.sandbox.runtime import find_runtime, is_inside, visible_paths
from arena.sandbox.uids import UidClaims


def test_a_living_job_is_not_stale_and_a_closed_one_leaves_nothing(tmp_path: Path) -> None:
    root = prepare_root(tmp_path / "run")
    job = Job(root)
    (job.folder / "0").mkdir()
    (job.folder / "0" / "0.sock").touch()
    assert sweep(root, lambda name: True) == []
    job.close()
    assert not root.exists()


def test_a_job_whose_lock_nobody_holds_is_stale_and_removed(tmp_path: Path) -> None:
    folder = tmp_path / "0123abcd"
    (folder / "3").mkdir(parents=True)
    (tmp_path / "0123abcd.lock").touch()
    (tmp_path / "89abcdef").mkdir()
    (tmp_path / "somebody-elses").mkdir()
    assert sweep(tmp_path, lambda name: True) == ["0123abcd", "89abcdef"]
    assert [path.name for path in tmp_path.iterdir()] == ["somebody-elses"]


def test_a_job_of_which_something_is_left_is_kept_for_the_next_sweep(tmp_path: Path) -> None:
    (tmp_path / "0123abcd").mkdir()
    (tmp_path / "89abcdef").mkdir()
    assert sweep(tmp_path, lambda name: name != "0123abcd") == ["89abcdef"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["0123abcd", "0123abcd.lock"]
    assert sweep(tmp_path, lambda name: True) == ["0123abcd"]
    assert list(tmp_path.iterdir()) == []


def test_removing_a_job_follows_no_link(tmp_path: Path) -> None:
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "file").touch()
    folder = tmp_path / "01234567"
    folder.mkdir()
    (folder / "link").symlink_to(tmp_path / "kept")
    (folder / "bot0").mkdir()
    (folder / "bot0" / "not-empty").touch()
    assert sweep(tmp_path, lambda name: True) == ["01234567"]
    assert (tmp_path / "kept" / "file").exists()
    assert (folder / "bot0" / "not-empty").exists(), "a place to mount on is only removed empty"


def test_a_folder_with_something_mounted_in_it_is_not_removed() -> None:
    with pytest.raises(SandboxError, match="something is mounted on /proc"):
        remove(Path("/proc"))


def test_a_run_folder_of_somebody_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "open").mkdir()
    (tmp_path / "open").chmod(0o777)
    with pytest.raises(SandboxError, match="nobody else may write to"):
        prepare_root(tmp_path / "open")
    (tmp_path / "link").symlink_to(tmp_path)
    with pytest.raises(SandboxError, match="nobody else may write to"):
        prepare_root(tmp_path / "link")


def test_a_squatted_run_folder_keeps_nobody_from_playing(tmp_path: Path) -> None:
    uid = os.geteuid()
    usual = shared_root(tmp_path, uid)
    assert prepare_root(usual) == usual == shared_root(tmp_path, uid), "found again by the next"
    usual.rmdir()
    usual.symlink_to(tmp_path / "elsewhere")
    spare = shared_root(tmp_path, uid)
    assert prepare_root(spare) == spare != usual
    assert shared_root(tmp_path, uid) == spare, "what is left in it is found"
    (tmp_path / f"{usual.name}-").mkdir()
    (tmp_path / f"{usual.name}-").chmod(0o777)
    assert shared_root(tmp_path, uid) == spare, "and squatting spares helps as little"


def test_users_are_claimed_once_and_the_file_goes_with_the_last_claim(tmp_path: Path) -> None:
    claims = UidClaims(tmp_path, 66600, 66602)
    taken = {claims.take() for _ in range(3)}
    assert taken == {66600, 66601, 66602}
    with pytest.raises(SandboxError, match="all users from 66600 to 66602 are taken"):
        claims.take()
    claims.give_back(66601)
    assert claims.take() == 66601
    claims.close()
    claims.close()
    assert list(tmp_path.iterdir()) == []


def test_a_missing_runtime_names_the_way_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(SandboxError, match="run `make runtime`"):
        find_runtime(tmp_path)
    monkeypatch.setenv("ARENA_BOT_RUNTIME", str(tmp_path / "named"))
    with pytest.raises(SandboxError, match="named"):
        find_runtime()


def venv(folder: Path, base: Path) -> Path:
    (folder / "bin").mkdir(parents=True)
    (folder / "bin" / "python").symlink_to(base / "bin" / "python3")
    return folder


def test_a_runtime_of_the_systems_python_shows_itself_only(tmp_path: Path) -> None:
    place = venv(tmp_path / "env", Path("/usr"))
    found = find_runtime(place)
    assert found.python == str(place / "bin/python")
    assert found.paths == (str(place),)


def test_every_name_on_the_way_to_the_interpreter_is_shown(tmp_path: Path) -> None:
    real = tmp_path / "versions" / "3.11.7"
    for name in ("bin", "lib", "share"):
        (real / name).mkdir(parents=True)
    (real / "bin" / "python3.11").touch()
    (real / "bin" / "python3").symlink_to("python3.11")
    (tmp_path / "versions" / "3.11").symlink_to("3.11.7")
    place = venv(tmp_path / "env", tmp_path / "versions" / "3.11")
    shown = visible_paths(place)
    alias = tmp_path / "versions" / "3.11"
    assert set(shown) == {
        *(str(place), str(alias / "bin"), str(alias / "lib")),
        *(str(real / "bin"), str(real / "lib")),
    }


def test_an_interpreter_at_the_top_never_shows_everything(tmp_path: Path) -> None:
    place = tmp_path / "env"
    (place / "bin").mkdir(parents=True)
    (place / "bin" / "python").symlink_to("/bin/python3")
    assert all(path == str(place) or not is_inside("/", path) for path in visible_paths(place))


def test_a_name_is_inside_a_folder_only_by_whole_parts() -> None:
    assert is_inside("/usr/lib", "/usr")
    assert is_inside("/usr", "/usr/")
    assert not is_inside("/usrlocal", "/usr")


def test_a_lock_file_is_private(tmp_path: Path) -> None:
    claims = UidClaims(tmp_path, 66600, 66600)
    assert (tmp_path / "uids.lock").stat().st_mode & 0o077 == 0
    claims.close()
    assert os.listdir(tmp_path) == []  # noqa: PTH208
