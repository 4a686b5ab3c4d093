"""Every error a caller can meet, in one tree.

::

    OpenClawMemoryError
    ├── UsageError                 the call itself is wrong (exit code 2)
    ├── ConfigError                a setting is wrong; names its key path
    ├── PluginError
    │   ├── UnknownPluginError     the slot names a plugin that is not installed
    │   └── PluginLoadError        the selected plugin cannot be imported or registered
    ├── NoteError
    │   ├── PathNotAllowedError    the path is outside what this agent may read
    │   ├── NoteNotFoundError
    │   ├── NoteReadError          the file is there and cannot be read
    │   └── NoteWriteError         an append failed; nothing was lost
    ├── StoreError                 the index
    │   ├── StoreBusyError         another process holds it longer than we wait
    │   ├── StoreCorruptError
    │   ├── StoreForeignError      the file belongs to another program
    │   ├── StoreFullError         no space left
    │   └── StoreReadOnlyError
    ├── EmbeddingError             a provider
    │   ├── MissingExtraError      a package is not installed; the hint is the install command
    │   ├── MissingKeyError
    │   ├── ProviderAuthError      401, 403
    │   ├── ProviderRateLimitError 429; carries retry_after in seconds
    │   ├── ProviderQuotaError     the account is out of credit; retrying is useless
    │   ├── ProviderInputError     the request is too large or refused as it is
    │   ├── ProviderReplyError     the reply is not what the protocol says
    │   ├── ProviderTimeoutError
    │   └── ProviderUnavailableError  connection refused, 5xx, model file missing …
    ├── SessionStoreError          sessions.json
    └── CancelledError             the user or the host asked to stop
"""

from __future__ import annotations

from typing import ClassVar

__all__ = [
    "CancelledError",
    "ConfigError",
    "EmbeddingError",
    "MissingExtraError",
    "MissingKeyError",
    "NoteError",
    "NoteNotFoundError",
    "NoteReadError",
    "NoteWriteError",
    "OpenClawMemoryError",
    "PathNotAllowedError",
    "PluginError",
    "PluginLoadError",
    "ProviderAuthError",
    "ProviderInputError",
    "ProviderQuotaError",
    "ProviderRateLimitError",
    "ProviderReplyError",
    "ProviderTimeoutError",
    "ProviderUnavailableError",
    "SessionStoreError",
    "StoreBusyError",
    "StoreCorruptError",
    "StoreError",
    "StoreForeignError",
    "StoreFullError",
    "StoreReadOnlyError",
    "UnknownPluginError",
    "UsageError",
]


class OpenClawMemoryError(Exception):
    """Base of all our errors.

    :param message: what happened and where, for people; never holds a secret or the text of a note.
    :param hint: how to fix it; None if there is nothing to do.
    """

    code: ClassVar[str] = "error"
    exit_code: ClassVar[int] = 1

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def to_dict(self) -> dict[str, str | None]:
        """The error as ``--json`` shows it: code, message, hint."""
        return {"code": self.code, "message": self.message, "hint": self.hint}


class UsageError(OpenClawMemoryError):
    """The call itself is wrong: a missing argument, a number out of range."""

    code = "usage"
    exit_code = 2


class ConfigError(OpenClawMemoryError):
    """A setting is wrong.

    :param key_path: dotted path of the setting, for example ``memory.search.query.minScore``; None for the whole file.
    """

    code = "config-invalid"

    def __init__(self, message: str, *, key_path: str | None = None, hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.key_path = key_path


class PluginError(OpenClawMemoryError):
    """Something about the plugin in the slot."""

    code = "plugin"


class UnknownPluginError(PluginError):
    """``plugins.slots.memory`` names a plugin that is not installed."""

    code = "plugin-unknown"


class PluginLoadError(PluginError):
    """The selected plugin cannot be imported, or its hooks do not fit the contract."""

    code = "plugin-load"


class NoteError(OpenClawMemoryError):
    """Something about a Markdown file."""

    code = "note"


class PathNotAllowedError(NoteError):
    """The path is outside what may be read; says nothing about whether it exists."""

    code = "path-not-allowed"


class NoteNotFoundError(NoteError):
    """No such note at an allowed path."""

    code = "note-not-found"


class NoteReadError(NoteError):
    """The note is there and cannot be read."""

    code = "note-unreadable"


class NoteWriteError(NoteError):
    """An append failed; what was in the file before is still there."""

    code = "note-write"


class StoreError(OpenClawMemoryError):
    """Something about the index; notes are never affected."""

    code = "store"


class StoreBusyError(StoreError):
    """Another process held the index longer than we wait."""

    code = "store-busy"


class StoreCorruptError(StoreError):
    """The index file is damaged; it can be rebuilt from the notes."""

    code = "store-corrupt"


class StoreForeignError(StoreError):
    """The file belongs to another program and is left alone."""

    code = "store-foreign"


class StoreFullError(StoreError):
    """No space left on the index's file system."""

    code = "store-full"


class StoreReadOnlyError(StoreError):
    """The index or its folder cannot be written."""

    code = "store-read-only"


class EmbeddingError(OpenClawMemoryError):
    """Something about the embedding provider.

    :param status: HTTP status of the answer; None if there was none.
    """

    code = "embedding"

    def __init__(self, message: str, *, status: int | None = None, hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.status = status


class MissingExtraError(EmbeddingError):
    """An optional package is not installed; the hint is the install command."""

    code = "missing-extra"


class MissingKeyError(EmbeddingError):
    """No API key for the provider could be found."""

    code = "missing-key"


class ProviderAuthError(EmbeddingError):
    """The provider refused the key (401, 403)."""

    code = "provider-auth"


class ProviderRateLimitError(EmbeddingError):
    """The provider asks to slow down (429).

    :param retry_after: seconds to wait as the server said; None if it did not say.
    """

    code = "provider-rate-limit"

    def __init__(
        self, message: str, *, retry_after: float | None = None, status: int | None = 429, hint: str | None = None
    ) -> None:
        super().__init__(message, status=status, hint=hint)
        self.retry_after = retry_after


class ProviderQuotaError(EmbeddingError):
    """The account is out of credit; retrying is useless."""

    code = "provider-quota"


class ProviderInputError(EmbeddingError):
    """The provider refused the request as it is, usually for its size (400, 413, 422)."""

    code = "provider-input"


class ProviderReplyError(EmbeddingError):
    """The reply is not what the protocol says: wrong count, wrong length, NaN, not JSON."""

    code = "provider-reply"


class ProviderTimeoutError(EmbeddingError):
    """No answer within the deadline."""

    code = "provider-timeout"


class ProviderUnavailableError(EmbeddingError):
    """The provider cannot be reached or cannot work: connection refused, 5xx, model file missing."""

    code = "provider-unavailable"


class SessionStoreError(OpenClawMemoryError):
    """Something about ``sessions.json``; it is left as it was."""

    code = "session-store"


class CancelledError(OpenClawMemoryError):
    """The user or the host asked to stop; what was finished is kept."""

    code = "cancelled"
