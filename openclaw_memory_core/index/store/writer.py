"""Writing one generation: every method is one short transaction."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, cast

import apsw

from openclaw_memory_core.errors import StoreError
from openclaw_memory_core.index.store import centres, generations, rows, text, upkeep
from openclaw_memory_core.index.store.keyword import fold_path
from openclaw_memory_core.index.store.schema import sql

if TYPE_CHECKING:
    from openclaw_memory_core.embeddings.base import Vector
    from openclaw_memory_core.index.model import Chunk, FileState, IndexIdentity
    from openclaw_memory_core.index.store.connection import Database
    from openclaw_memory_core.index.store.generations import Generation
    from openclaw_memory_core.workspace.documents import Document, DocumentRef

_STEP = 64
"""Documents or vectors a transaction."""

_MERGED_FROM = 1_000
"""Chunks that were written: the trees of fewer are merged by FTS5 as it goes."""

_MERGED_PAGES = 1_000
"""Pages of 4 KB that one transaction merges of a text index."""

# No RETURNING here: SQLite guards such a statement by a savepoint, for which FTS5 writes out what it has gathered so
# far.  Each chunk would become a segment of its own in the text index.
_PUT_FILE = """INSERT INTO gN_files(path, source, content_hash, stat, mtime, indexed_at, curated, date, session_key,
        line_map, chunks, missing, changed, folded, base, stem)
    VALUES (:path, :source, :content_hash, :stat, :mtime, :indexed_at, :curated, :date, :session_key,
        :line_map, :chunks, 0, :changed, :folded, :base, :stem)"""

_PUT_CHUNK = """INSERT INTO gN_chunks(file, vector, hash, start_line, end_line, importance, headings,
        embed_text, text)
    VALUES (:file, (VECTOR_OF :hash), :hash, :start_line, :end_line, :importance, :headings,
        :embed_text, :text)"""

_LINK = "UPDATE gN_chunks SET vector = (VECTOR_OF gN_chunks.hash) WHERE file = :file AND vector IS NULL"

_COUNT_MISSING = """UPDATE gN_files SET changed = :changed,
        missing = (SELECT count(*) FROM gN_chunks WHERE file = :file AND vector IS NULL)
    WHERE id = :file"""

_MISSING = """SELECT hash, coalesce(embed_text, text) FROM gN_chunks AS c WHERE vector IS NULL AND NOT EXISTS (
        SELECT 1 FROM vectors AS v WHERE v.identity = ? AND v.hash = c.hash)
    GROUP BY hash ORDER BY min(id) LIMIT ?"""


class SqliteWriter:
    """Implements :class:`openclaw_memory_core.index.protocol.GenerationWriter`."""

    def __init__(
        self, database: Database, generation: Generation, keep: upkeep.Retention, clock: Callable[[], float]
    ) -> None:
        self._database = database
        self._generation = generation
        self._keep = keep
        self._clock = clock
        self._has_text = generation.text_kind != "none"
        self._uncoded = 0
        self._unmerged = 0

    @property
    def generation(self) -> int:
        """See the protocol."""
        return self._generation.id

    @property
    def identity(self) -> IndexIdentity:
        """See the protocol."""
        return self._generation.identity

    def files(self) -> dict[str, FileState]:
        """See the protocol."""
        with self._read() as db:
            found = db.execute(self._sql("SELECT COLUMNS FROM gN_files").replace("COLUMNS", rows.FILE_COLUMNS))
            return {row[0]: rows.file_from_row(row) for row in found}

    def known_hashes(self, hashes: Iterable[str]) -> set[str]:
        """See the protocol."""
        statement = "SELECT hash FROM vectors WHERE identity = ? AND hash IN (SELECT value FROM json_each(?))"
        with self._read() as db:
            found = db.execute(statement, (self._generation.embedding, json.dumps(list(hashes))))
            return {cast("str", value) for (value,) in found}

    def add_vectors(self, vectors: Mapping[str, Vector]) -> None:
        """See the protocol.

        :raises StoreError: a vector has another length than those stored before; the others of its step are kept out.
        """
        items = iter(vectors.items())
        while step := list(itertools.islice(items, _STEP)):
            with self._write() as (db, _):
                self._check_lengths(db, step)
                upkeep.store_vectors(db, self._generation.embedding, step, self._clock())
            self._uncoded += len(step)
        if self._uncoded >= centres.CODED_FROM:
            self._update_codes()

    def put_documents(self, documents: Sequence[tuple[Document, Sequence[Chunk]]], *, indexed_at: float) -> None:
        """See the protocol."""
        files = [_file_bindings(document, len(chunks), indexed_at) for document, chunks in documents]
        self._unmerged += sum(len(chunks) for _, chunks in documents)
        with self._write() as (db, revision):
            self._delete(db, [document.ref.path for document, _ in documents])
            numbers = [
                self._put_file(db, file | {"changed": revision}, chunks, document.ref)
                for file, (document, chunks) in zip(files, documents, strict=True)
            ]
            if self.identity.has_vectors:
                for number in numbers:
                    db.execute(self._sql(_COUNT_MISSING), {"file": number, "changed": revision})

    def link_vectors(self, *paths: str) -> int:
        """See the protocol."""
        missing = 0
        for start in range(0, len(paths) if self.identity.has_vectors else 0, _STEP):
            with self._write() as (db, revision):
                for path in paths[start : start + _STEP]:
                    missing += self._link(db, path, revision)
        return missing

    def _link(self, db: apsw.Connection, path: str, revision: int) -> int:
        number = db.execute(self._sql("SELECT id FROM gN_files WHERE path = ?"), (path,)).get
        if number is None:
            return 0
        db.execute(self._sql(_LINK), {"file": number, "identity": self._generation.embedding})
        db.execute(self._sql(_COUNT_MISSING), {"file": number, "changed": revision})
        return cast("int", db.execute(self._sql("SELECT missing FROM gN_files WHERE id = ?"), (number,)).get)

    def missing_texts(self, limit: int) -> dict[str, str]:
        """See the protocol."""
        if not self.identity.has_vectors or limit < 1:
            return {}
        with self._read() as db:
            return dict(db.execute(self._sql(_MISSING), (self._generation.embedding, limit)))

    def touch(self, path: str, stat: tuple[int, int, int, int, int], *, indexed_at: float) -> None:
        """See the protocol."""
        statement = self._sql("UPDATE gN_files SET stat = ?, mtime = ?, indexed_at = ?, changed = ? WHERE path = ?")
        with self._write() as (db, revision):
            db.execute(statement, (json.dumps(stat), stat[1] / 1e9, indexed_at, revision, path))

    def remove(self, paths: Iterable[str]) -> None:
        """See the protocol."""
        gone = iter(paths)
        while step := list(itertools.islice(gone, _STEP)):
            with self._write() as (db, _):
                self._delete(db, step)

    def finish(self) -> None:
        """See the protocol."""
        self._update_codes()
        if self._unmerged >= _MERGED_FROM:
            self._merge_text()
        if self._generation.state == "building":
            with self._write() as (db, _):
                generations.publish(db, self.generation, self._clock())
            self._reload()
        upkeep.tidy(self._database, self._keep)

    def abandon(self) -> None:
        """See the protocol."""
        if self._generation.state == "building":
            with self._write() as (db, _):
                generations.retire(db, self.generation)
            upkeep.tidy(self._database, self._keep)

    def _put_file(self, db: apsw.Connection, file: dict[str, Any], chunks: Sequence[Chunk], ref: DocumentRef) -> int:
        db.execute(self._sql(_PUT_FILE), file)
        number = db.last_insert_rowid()
        if self._has_text:
            words = text.fold(text.path_words(ref.path), self._generation.text_kind)
            db.execute(self._sql("INSERT INTO gN_paths(rowid, words) VALUES (?, ?)"), (number, words))
        for chunk in chunks:
            self._put_chunk(db, number, chunk, ref)
        return number

    def _put_chunk(self, db: apsw.Connection, file: int, chunk: Chunk, ref: DocumentRef) -> None:
        shown = text.clean(chunk.text)
        db.execute(
            self._sql(_PUT_CHUNK),
            {
                "file": file,
                "identity": self._generation.embedding,
                "hash": chunk.text_hash,
                "start_line": chunk.start_line,
                "end_line": chunk.end_line,
                "importance": chunk.importance,
                "headings": rows.pack_list(chunk.headings),
                "embed_text": None if chunk.embed_text == chunk.text else text.clean(chunk.embed_text),
                "text": shown,
            },
        )
        number = db.last_insert_rowid()
        if self._has_text:
            kind = self._generation.text_kind
            extra = f"{text.date_words(ref.date)} {text.path_words(ref.path.rsplit('/', 1)[-1])}"
            parts = (shown, " ".join(chunk.headings), extra)
            db.execute(
                self._sql("INSERT INTO gN_text(rowid, body, headings, extra) VALUES (?, ?, ?, ?)"),
                (number, *(text.fold(part, kind) for part in parts)),
            )

    def _delete(self, db: apsw.Connection, paths: Sequence[str]) -> None:
        bindings = (json.dumps(paths),)
        if self._has_text:
            db.execute(self._sql("DELETE FROM gN_text WHERE rowid IN (THEIR_CHUNKS)"), bindings)
            db.execute(self._sql("DELETE FROM gN_paths WHERE rowid IN (THEIR_FILES)"), bindings)
        db.execute(self._sql("DELETE FROM gN_chunks WHERE file IN (THEIR_FILES)"), bindings)
        db.execute(self._sql("DELETE FROM gN_files WHERE id IN (THEIR_FILES)"), bindings)

    def _check_lengths(self, db: apsw.Connection, step: Sequence[tuple[str, Vector]]) -> None:
        dims = db.execute("SELECT dims FROM identities WHERE id = ?", (self._generation.embedding,)).get
        lengths = {len(vector) for _, vector in step} | ({4 * dims} if dims else set())
        if len(lengths) > 1 or any(length % 4 or not length for length in lengths):
            sizes = ", ".join(str(length // 4) for length in sorted(lengths))
            raise StoreError(
                f"Vectors of different lengths for one model were not stored in {self._database.path}: {sizes}",
                hint="The provider changed its model; run `openclaw-memory index --force`, or name the model's size.",
            )
        if dims is None:
            db.execute("UPDATE identities SET dims = ? WHERE id = ?", (lengths.pop() // 4, self._generation.embedding))

    @contextmanager
    def _read(self) -> Iterator[apsw.Connection]:
        with self._database.read() as db:
            self._check_there(db)
            yield db

    @contextmanager
    def _write(self) -> Iterator[tuple[apsw.Connection, int]]:
        """A transaction on our generation and the number of the change."""
        with self._database.write() as db:
            self._check_there(db)
            revision = generations.next_revision(db)
            db.execute("UPDATE generations SET revision = ? WHERE id = ?", (revision, self.generation))
            yield db, revision

    def _check_there(self, db: apsw.Connection) -> None:
        state = db.execute("SELECT state FROM generations WHERE id = ?", (self.generation,)).get
        if state not in {"building", "active"}:
            raise StoreError(
                f"Generation {self.generation} of {self._database.path} was replaced by another process",
                hint="Run the index again; nothing was lost.",
            )

    def _merge_text(self) -> None:
        """Make one tree of the many that writing leaves, so that a search is a sixth faster; in short transactions."""
        pages, left = -_MERGED_PAGES, self._has_text
        while left:
            with self._write() as (db, _):
                before = db.total_changes()
                db.execute(self._sql("INSERT INTO gN_text(gN_text, rank) VALUES ('merge', ?)"), (pages,))
                # FTS5 counts the statement itself as one change.
                left = db.total_changes() - before > 1
            # A negative number begins with all trees, whatever their sizes; going on takes a positive one.
            pages = _MERGED_PAGES
        self._unmerged = 0

    def _update_codes(self) -> None:
        if self.identity.has_vectors:
            centres.update_codes(self._database, self._generation.embedding)
        self._uncoded = 0

    def _reload(self) -> None:
        with self._database.read() as db:
            found = [one for one in generations.in_state(db, "active") if one.id == self.generation]
        if found:
            self._generation = found[0]

    def _sql(self, template: str) -> str:
        return sql(template, self._generation.id)


def _file_bindings(document: Document, chunks: int, indexed_at: float) -> dict[str, Any]:
    ref = document.ref
    folded = fold_path(ref.path)
    base = folded.rsplit("/", 1)[-1]
    return {
        "path": ref.path,
        "source": ref.source,
        "content_hash": document.content_hash,
        "stat": json.dumps(ref.stat),
        "mtime": ref.mtime,
        "indexed_at": indexed_at,
        "curated": int(ref.curated),
        "date": ref.date.isoformat() if ref.date else None,
        "session_key": ref.session_key,
        "line_map": rows.pack_lines(document.line_map),
        "chunks": chunks,
        "folded": folded,
        "base": base,
        "stem": base.rsplit(".", 1)[0] or base,
    }
