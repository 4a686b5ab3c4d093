"""Telling clients that notes came, went or changed."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from openclaw_memory_core.index.watch import FileWatcher
from openclaw_memory_core.integrations.mcp_server.shelf import Note, Shelf, uri_of

if TYPE_CHECKING:
    from mcp.server.session import ServerSession
    from mcp.server.subscriptions import SubscriptionBus

_MOST_CLIENTS: Final = 1000
DEBOUNCE_SECONDS: Final = 1.5


@dataclass(frozen=True, slots=True)
class Changes:
    """What differs between two looks: *listed* if notes came or went, and the URIs of those that changed."""

    listed: bool
    updated: tuple[str, ...]

    def __bool__(self) -> bool:
        return self.listed or bool(self.updated)


def compare(before: list[Note], after: list[Note]) -> Changes:
    """What happened to the notes between two listings.  One that is gone counts as updated, too."""
    old, new = ({note.path: note.stamp for note in notes} for notes in (before, after))
    updated = [path for path in old if new.get(path) != old[path]]
    return Changes(listed=old.keys() != new.keys(), updated=tuple(uri_of(path) for path in updated))


class ChangeWatch:
    """Looks at the notes whenever something happened to the files, and tells what is different.

    :param tell: called in a thread of the watcher.
    :param debounce: seconds of quiet before it looks.
    """

    def __init__(self, shelf: Shelf, tell: Callable[[Changes], None], *, debounce: float = DEBOUNCE_SECONDS) -> None:
        self._shelf = shelf
        self._tell = tell
        self._seen: list[Note] = []
        self._watcher = FileWatcher(shelf.watch_roots, self._look, debounce_s=debounce, suffixes=(".md",))

    def start(self) -> None:
        """Begin, if there is anything to watch."""
        if self._shelf.watch_roots():
            self._watcher.start()
            self._seen = self._shelf.notes()

    def close(self) -> None:
        """Stop, and wait for the threads."""
        self._watcher.close()

    def _look(self, _: set[str]) -> None:
        # Which paths the events named does not matter: a listing also tells what polling and lost events do not.
        notes = self._shelf.notes()
        changes = compare(self._seen, notes)
        self._seen = notes
        if changes:
            self._tell(changes)


@dataclass(slots=True)
class _Client:
    """A client of a protocol version before 2026-07-28, which is told on its own channel."""

    session: ServerSession
    subscribed: set[str] = field(default_factory=set)


class Announcer:
    """Passes changes on: to streams that clients have opened for it, and to older clients on their own channel."""

    def __init__(self, bus: SubscriptionBus) -> None:
        self._bus = bus
        self._clients: OrderedDict[str, _Client] = OrderedDict()

    def joined(self, client: str, session: ServerSession) -> None:
        """An older client is ready."""
        self._client(client, session)

    def subscribe(self, client: str, session: ServerSession, uri: str) -> None:
        """An older client wants to hear of one note."""
        self._client(client, session).subscribed.add(uri)

    def unsubscribe(self, client: str, uri: str) -> None:
        """An older client does not want to hear of it any more."""
        if client in self._clients:
            self._clients[client].subscribed.discard(uri)

    def _client(self, client: str, session: ServerSession) -> _Client:
        # Nobody says when a connection is gone; sending to it does no harm, keeping all of them for ever would.
        known = self._clients.setdefault(client, _Client(session))
        while len(self._clients) > _MOST_CLIENTS:
            self._clients.popitem(last=False)
        return known

    async def announce(self, changes: Changes) -> None:
        """Tell everybody who asked.  Never raises for a client that is gone."""
        from mcp.server.subscriptions import ResourcesListChanged, ResourceUpdated

        if changes.listed:
            await self._bus.publish(ResourcesListChanged())
        for uri in changes.updated:
            await self._bus.publish(ResourceUpdated(uri))
        for client in list(self._clients.values()):
            if changes.listed:
                await client.session.send_resource_list_changed()
            for uri in client.subscribed.intersection(changes.updated):
                await client.session.send_resource_updated(uri)


@asynccontextmanager
async def announcing(shelf: Shelf, announcer: Announcer, *, debounce: float) -> AsyncIterator[None]:
    """Watch the notes and announce what happens to them, as long as the block runs."""
    loop = asyncio.get_running_loop()
    queue: asyncio.Queue[Changes] = asyncio.Queue()

    async def pass_on() -> None:
        while True:
            await announcer.announce(await queue.get())

    def tell(changes: Changes) -> Any:
        return loop.call_soon_threadsafe(queue.put_nowait, changes)

    watch = ChangeWatch(shelf, tell, debounce=debounce)
    await asyncio.to_thread(watch.start)
    task = asyncio.create_task(pass_on())
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        await asyncio.to_thread(watch.close)
