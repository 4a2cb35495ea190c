from __future__ import annotations

import ast
from pathlib import Path

import dominobot.replay
import dominobot.rules

MAY_IMPORT = {
    "__future__",
    "collections.abc",
    "collections",
    "dataclasses",
    "enum",
    "hashlib",
    "typing",
}


def test_what_is_exported_exists_and_is_named_once() -> None:
    for module in (dominobot.rules, dominobot.replay):
        assert all(hasattr(module, name) for name in module.__all__)
        assert len(set(module.__all__)) == len(module.__all__)


def test_the_rules_need_no_clock_no_dice_no_files_and_nothing_to_install() -> None:
    folder = Path(dominobot.rules.__file__).parent
    for path in folder.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            assert not isinstance(node, ast.Import) or node.names[0].name in MAY_IMPORT
            if isinstance(node, ast.ImportFrom) and node.module not in MAY_IMPORT:
                assert str(node.module).startswith("dominobot.rules"), path
