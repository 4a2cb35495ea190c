"""Load bot folders into this process so that they do not meet.

In an arena each bot is a process of its own, and its entry is ``__main__``. Here several share one
process, so each gets a module space of its own: two bots may both have a ``main.py`` and a
``helpers.py``, and the same folder loaded twice shares no global either. A bot's modules are in
``sys.modules`` only while its code runs (``LoadedBot.active``).

This is no sandbox: only load folders you trust.
"""

from __future__ import annotations

import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

from dominobot.bot import Bot
from dominobot.errors import BotError
from dominobot.manifest import Manifest, read_manifest
from dominobot.runner import RunCalled, catching_run


class LoadedBot:
    """A bot folder whose entry has been run up to its call of ``run``.

    manifest: what its bot.toml says. bot_class: the class that it gave to ``run``.
    """

    def __init__(self, folder: Path, manifest: Manifest) -> None:
        self.folder = folder
        self.manifest = manifest
        self._main = ModuleType("__main__")
        self._modules: dict[str, ModuleType] = {"__main__": self._main}
        self.bot_class = self._run_entry()

    @property
    def name(self) -> str:
        """The name in bot.toml."""
        return self.manifest.name

    @contextmanager
    def active(self) -> Iterator[None]:
        """Run the bot's code only inside this block: here its imports find its own modules."""
        hidden = {name: sys.modules[name] for name in self._modules if name in sys.modules}
        sys.modules.update(self._modules)
        sys.path.insert(0, str(self.folder))
        count = len(sys.modules)
        try:
            yield
        finally:
            if len(sys.modules) != count:
                self._keep_new_modules()
            for name in self._modules:
                sys.modules.pop(name, None)
            sys.modules.update(hidden)
            if str(self.folder) in sys.path:
                sys.path.remove(str(self.folder))

    def _keep_new_modules(self) -> None:
        for name, module in list(sys.modules.items()):
            if name not in self._modules and _is_inside(module, self.folder):
                self._modules[name] = module

    def _run_entry(self) -> type[Bot]:
        entry = self.folder / self.manifest.entry
        self._main.__file__ = str(entry)
        with self.active(), catching_run():
            try:
                code = compile(entry.read_bytes(), str(entry), "exec")
                exec(code, self._main.__dict__)
            except RunCalled as call:
                return call.bot_class
            except (Exception, SystemExit) as error:
                raise BotError(f"{entry} cannot be run: {describe(error, self.folder)}") from error
        raise BotError(f"{entry} does not call run(...); end it with run and your Bot class")


def load_bot(folder: Path | str) -> LoadedBot:
    """Load the bot of a folder.

    Raises ManifestError if its bot.toml will not do, BotError if its entry cannot be run.
    """
    folder = Path(folder)
    manifest = read_manifest(folder)
    return LoadedBot(folder.resolve(), manifest)


def describe(error: BaseException, folder: Path | None = None) -> str:
    """An exception in one line: kind, text, and the last place in the bot's own folder."""
    text = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    text = " ".join(text.split())
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if folder is not None and Path(frame.filename).is_relative_to(folder):
            place = Path(frame.filename).relative_to(folder)
            return f"{text} ({place}, line {frame.lineno})"
    return text


def _is_inside(module: ModuleType, folder: Path) -> bool:
    file = getattr(module, "__file__", None)
    if file is not None:
        return Path(file).is_relative_to(folder)
    # A package without __init__.py has folders only.
    paths = getattr(module, "__path__", ())
    return any(Path(path).is_relative_to(folder) for path in paths)
