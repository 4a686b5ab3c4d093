"""Somebody who edits notes in every way editors do, and the model of what must be on disk."""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Callable
from pathlib import Path

WORDS = ["heron", "kiln", "ferry", "账单", "Straße", "naïve", "roof", "tram", "\U0001f9ed", "osprey"]


class Editor:
    """Changes notes at random and remembers what they should hold.

    :param root: the workspace.
    """

    def __init__(self, root: Path, rng: random.Random) -> None:
        self.root = root
        self.rng = rng
        self.model: dict[str, bytes] = {}
        self.edits = 0
        self._ways: list[Callable[[str, bytes], None]] = [
            self._in_place,
            self._in_pieces,
            self._replaced,
            self._with_backup,
            self._swap_file,
        ]

    def step(self) -> None:
        """One edit."""
        self.edits += 1
        what = self.rng.random()
        if what < 0.12 and self.model:
            self._delete(self._known())
        elif what < 0.22 and self.model:
            self._rename(self._known(), self._name())
        elif what < 0.42 and self.model:
            self._append(self._known())
        elif what < 0.47 and self.model:
            os.utime(self.root / self._known())
        elif what < 0.50:
            self._delete_folder()
        else:
            self.rng.choice(self._ways)(self._name(), self._text())

    def differences(self) -> dict[str, str]:
        """How the notes on disk differ from the model; empty if they do not."""
        found: dict[str, str] = {}
        on_disk = {
            path.relative_to(self.root).as_posix(): path.read_bytes()
            for path in self.root.rglob("*.md")
            if path.is_file()
        }
        for path in on_disk.keys() | self.model.keys():
            if on_disk.get(path) != self.model.get(path):
                state = "changed" if path in on_disk and path in self.model else "lost" if path in self.model else "new"
                found[path] = state
        return found

    # --- what is written ---------------------------------------------------------------------------------------------

    def _known(self) -> str:
        return self.rng.choice(sorted(self.model))

    def _name(self) -> str:
        rng = self.rng
        if rng.random() < 0.1:
            return "MEMORY.md"
        folder = rng.choice(["memory", "memory", "memory/trips", "memory/trips/2026", "memory/houses"])
        day = f"2026-05-{rng.randint(1, 9):02d}"
        return f"{folder}/{rng.choice([day, f'note{rng.randint(1, 12)}'])}.md"

    def _text(self) -> bytes:
        rng = self.rng
        kind = rng.random()
        if kind < 0.05:
            return b""
        if kind < 0.10:
            return ("x" * rng.randint(3000, 9000) + "\nafter the endless line\n").encode()
        lines = [f"# {rng.choice(WORDS)} {rng.randint(1, 99)}", ""]
        for _ in range(rng.randint(1, 40)):
            words = " ".join(rng.choice(WORDS) for _ in range(rng.randint(2, 14)))
            lines.append(rng.choice(["- ", "", "## ", "> "]) + words)
        text = rng.choice(["\n", "\n", "\r\n"]).join(lines) + "\n"
        return (b"\xef\xbb\xbf" if rng.random() < 0.05 else b"") + text.encode()

    # --- how it is written -------------------------------------------------------------------------------------------

    def _target(self, path: str) -> Path:
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        return target

    def _in_place(self, path: str, data: bytes) -> None:
        self._target(path).write_bytes(data)
        self.model[path] = data

    def _in_pieces(self, path: str, data: bytes) -> None:
        with self._target(path).open("wb") as file:
            for at in range(0, len(data), 500):
                file.write(data[at : at + 500])
                file.flush()
        self.model[path] = data

    def _replaced(self, path: str, data: bytes) -> None:
        target = self._target(path)
        temporary = target.with_name(f".{target.name}.tmp")
        temporary.write_bytes(data)
        temporary.replace(target)
        self.model[path] = data

    def _with_backup(self, path: str, data: bytes) -> None:
        target = self._target(path)
        backup = target.with_name(target.name + "~")
        if target.exists():
            target.replace(backup)
        target.write_bytes(data)
        backup.unlink(missing_ok=True)
        self.model[path] = data

    def _swap_file(self, path: str, data: bytes) -> None:
        target = self._target(path)
        swap = target.with_name(f".{target.name}.swp")
        swap.write_bytes(data[:100])
        target.write_bytes(data)
        swap.unlink()
        self.model[path] = data

    def _append(self, path: str) -> None:
        more = f"- {self.rng.choice(WORDS)} appended {self.edits}\n".encode()
        with (self.root / path).open("ab") as file:
            file.write(more)
        self.model[path] += more

    def _delete(self, path: str) -> None:
        (self.root / path).unlink()
        del self.model[path]

    def _delete_folder(self) -> None:
        shutil.rmtree(self.root / "memory" / "trips", ignore_errors=True)
        self.model = {path: data for path, data in self.model.items() if not path.startswith("memory/trips/")}

    def _rename(self, path: str, new: str) -> None:
        if new == path:
            return
        (self.root / path).replace(self._target(new))
        self.model[new] = self.model.pop(path)
