"""Notes as things with an address: which ones a session may list, their texts, their URIs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol
from urllib.parse import quote, unquote

from openclaw_memory_core.errors import NoteNotFoundError, UsageError
from openclaw_memory_core.integrations.door import Door
from openclaw_memory_core.plugin_registry import DEFAULT_PLUGIN
from openclaw_memory_core.slot import MemorySlot
from openclaw_memory_core.workspace.workspace import Workspace
from openclaw_memory_hookspecs import Session

URI_PREFIX = "memory://notes/"
URI_TEMPLATE = URI_PREFIX + "{+path}"


@dataclass(frozen=True, slots=True)
class Note:
    """A note without its text.

    :param stamp: equal means unchanged.
    :param size: bytes; None if unknown.
    :param modified: seconds since the epoch; None if unknown.
    """

    path: str
    stamp: object
    size: int | None = None
    modified: float | None = None


class Shelf(Protocol):
    """The notes that one session may see."""

    def notes(self) -> list[Note]:
        """All of them, sorted by path."""

    def read(self, path: str) -> str:
        """The whole text of one.

        :raises NoteError: it is not there, not allowed or cannot be read.
        """

    def watch_roots(self) -> Sequence[str]:
        """Folders and files whose changes concern these notes; empty if they cannot be watched."""


class WorkspaceShelf:
    """The notes of our own plugin.

    :param private: curated files are among them.
    """

    def __init__(self, workspace: Workspace, *, private: bool) -> None:
        self._workspace = workspace
        self._private = private

    def notes(self) -> list[Note]:
        """Every note of the workspace and of the extra paths, without curated ones where the session is not private."""
        found = [ref for ref in self._workspace.scan().documents if self._private or not ref.curated]
        return [Note(ref.path, ref.stat, size=ref.stat[0], modified=ref.mtime) for ref in found]

    def read(self, path: str) -> str:
        """See :class:`Shelf`."""
        return self._workspace.text(path, curated=self._private)

    def watch_roots(self) -> Sequence[str]:
        """See :class:`Shelf`."""
        return self._workspace.watch_roots()


class SlotShelf:
    """What any other plugin in the slot shows at session start: all that can be known of its notes."""

    def __init__(self, slot: MemorySlot, session: Session) -> None:
        self._slot = slot
        self._session = session

    def notes(self) -> list[Note]:
        """The files that a session of this kind starts with."""
        return [Note(path, text, size=len(text.encode("utf-8"))) for path, text in sorted(self._files().items())]

    def read(self, path: str) -> str:
        """See :class:`Shelf`."""
        text = self._files().get(path)
        if text is None:
            raise NoteNotFoundError(f"there is no note {path}")
        return text

    def watch_roots(self) -> Sequence[str]:
        """Nothing: where the plugin keeps its notes is its own business."""
        return ()

    def _files(self) -> dict[str, str]:
        return {file.path: file.text for file in self._slot.session_start(self._session).files}


def open_shelf(door: Door) -> Shelf:
    """The notes that the door's session may see; none where memory or its search is switched off."""
    agent = door.config.agent(door.audience.agent_id)
    if door.slot.slot_status().plugin == DEFAULT_PLUGIN and agent.search.enabled:
        return WorkspaceShelf(Workspace.of_agent(agent, door.config), private=door.audience.private)
    return SlotShelf(door.slot, door.session)


def uri_of(path: str) -> str:
    """The URI of a note."""
    return URI_PREFIX + quote(path, safe="/")


def path_of(uri: str) -> str:
    """The path of a note.

    :raises UsageError: *uri* is not the URI of a note.
    """
    path = unquote(uri.removeprefix(URI_PREFIX))
    if not uri.startswith(URI_PREFIX) or not path:
        raise UsageError(f"{uri} is not the address of a note", hint=f"addresses look like {URI_TEMPLATE}")
    return path
