"""sqlite-vec, found and loaded without importing its package (which would pull numpy in)."""

from __future__ import annotations

import importlib.util
import logging
import threading
from pathlib import Path

import apsw

logger = logging.getLogger(__name__)


def packaged_path() -> Path | None:
    """Where the installed sqlite-vec keeps its library, without suffix; None if it is not installed."""
    spec = importlib.util.find_spec("sqlite_vec")
    if spec is None or spec.origin is None:
        return None
    return Path(spec.origin).with_name("vec0")


class VectorExtension:
    """Loads the extension into connections and remembers whether that works.

    :param path: library to load, with or without suffix; None for the packaged one.
    :param enabled: False never loads it.
    """

    def __init__(self, path: Path | None, *, enabled: bool) -> None:
        self.path = path
        self.enabled = enabled
        self.reason: str | None = None if enabled else "vectors are switched off"
        self.version: str | None = None
        self._lock = threading.Lock()

    def load(self, db: apsw.Connection) -> bool:
        """Make the extension's functions available on *db*; False (and one warning for all) if that is impossible."""
        with self._lock:
            if not self.enabled or self.reason is not None:
                return False
            self.reason = self._load(db)
            if self.reason is not None:
                logger.warning("Vector search runs in this process instead of in SQLite: %s", self.reason)
            return self.reason is None

    def _load(self, db: apsw.Connection) -> str | None:
        path = self.path or packaged_path()
        if path is None:
            return "sqlite-vec is not installed"
        if self.path is not None and not any(path.parent.glob(f"{path.name}*")):
            return f"there is no extension at {path}"
        try:
            db.enable_load_extension(True)  # noqa: FBT003 - apsw's signature
            try:
                db.load_extension(str(path))
            finally:
                db.enable_load_extension(False)  # noqa: FBT003
            self.version = str(db.execute("SELECT vec_version()").get)
        except (apsw.Error, AttributeError) as error:
            return f"sqlite-vec at {path} cannot be loaded ({error})"
        self.path = path
        return None
