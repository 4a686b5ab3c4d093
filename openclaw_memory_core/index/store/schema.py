"""Tables of the index file and how SQL is written for them.

Shared by all generations: ``meta``, ``generations``, ``identities``, ``centres``, ``vectors``, ``codes``.
A generation *N* has its own ``gN_files``, ``gN_chunks``, ``gN_text``, ``gN_paths`` and ``gN_words``.
"""

from __future__ import annotations

import functools
import json
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from openclaw_memory_core.privacy import Visible

APPLICATION_ID = 0x4F434D69
"""``OCMi``: an OpenClaw memory index; in bytes 68 to 71 of the file."""

FORMAT = 2
"""Number of this format, kept as ``user_version``.  Raise it whenever the tables of a generation change."""

TextKind = Literal["unicode61", "trigram", "none"]

TOKENIZERS: dict[TextKind, tuple[str, ...]] = {
    # Marks (Mn, Mc) are letters here: without them Hindi and Thai words fall apart at each vowel sign.
    "unicode61": ("porter", "unicode61", "remove_diacritics", "2", "categories", "L* N* Co Mn Mc"),
    "trigram": ("trigram", "remove_diacritics", "1"),
}

SHARED = """
CREATE TABLE meta(key TEXT PRIMARY KEY, value) WITHOUT ROWID;
INSERT INTO meta VALUES ('revision', 0), ('file', lower(hex(randomblob(16))));
CREATE TABLE identities(
    id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, settings TEXT NOT NULL, dims INTEGER, centre INTEGER);
CREATE TABLE generations(
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    state TEXT NOT NULL CHECK (state IN ('building', 'active', 'dropping')),
    identity TEXT NOT NULL, embedding INTEGER NOT NULL REFERENCES identities(id),
    text_kind TEXT NOT NULL, revision INTEGER NOT NULL, created_at REAL NOT NULL, published_at REAL);
CREATE UNIQUE INDEX one_active ON generations(state) WHERE state = 'active';
CREATE TABLE vectors(
    id INTEGER PRIMARY KEY AUTOINCREMENT, identity INTEGER NOT NULL, hash TEXT NOT NULL,
    updated_at REAL NOT NULL, usable INTEGER NOT NULL, embedding BLOB NOT NULL, UNIQUE (identity, hash));
CREATE INDEX vectors_age ON vectors(updated_at);
CREATE TABLE centres(
    id INTEGER PRIMARY KEY AUTOINCREMENT, identity INTEGER NOT NULL, mean BLOB NOT NULL, total INTEGER NOT NULL,
    coded_to INTEGER NOT NULL DEFAULT 0);
CREATE TABLE codes(
    centre INTEGER NOT NULL, vector INTEGER NOT NULL, code BLOB NOT NULL, PRIMARY KEY (centre, vector)
) WITHOUT ROWID;
"""

# chunks_owner answers "whose chunk is this" for each hit of the text index without reading the texts on the way.
_GENERATION = """
CREATE TABLE gN_files(
    id INTEGER PRIMARY KEY AUTOINCREMENT, path TEXT NOT NULL UNIQUE, source TEXT NOT NULL,
    content_hash TEXT NOT NULL, stat TEXT NOT NULL, mtime REAL NOT NULL, indexed_at REAL NOT NULL,
    curated INTEGER NOT NULL, date TEXT, session_key TEXT, line_map BLOB,
    chunks INTEGER NOT NULL, missing INTEGER NOT NULL, changed INTEGER NOT NULL,
    folded TEXT NOT NULL, base TEXT NOT NULL, stem TEXT NOT NULL);
CREATE INDEX gN_files_folded ON gN_files(folded);
CREATE INDEX gN_files_base ON gN_files(base);
CREATE INDEX gN_files_stem ON gN_files(stem);
CREATE TABLE gN_chunks(
    id INTEGER PRIMARY KEY AUTOINCREMENT, file INTEGER NOT NULL, vector INTEGER, hash TEXT NOT NULL,
    start_line INTEGER NOT NULL, end_line INTEGER NOT NULL, importance INTEGER,
    headings TEXT, embed_text TEXT, text TEXT NOT NULL);
CREATE INDEX gN_chunks_file ON gN_chunks(file);
CREATE INDEX gN_chunks_owner ON gN_chunks(id, file);
CREATE INDEX gN_chunks_vector ON gN_chunks(vector, file);
"""

_TEXT = """
CREATE VIRTUAL TABLE gN_text USING fts5(
    body, headings, extra, content='', contentless_delete=1, tokenize="TOKENIZER");
CREATE VIRTUAL TABLE gN_paths USING fts5(words, content='', contentless_delete=1, tokenize="TOKENIZER");
CREATE VIRTUAL TABLE gN_words USING fts5vocab(gN_text, 'row');
"""

TEXT_TABLES = ("words", "paths", "text")
ROW_TABLES = ("chunks", "files")

_FRAGMENTS = {
    # What a session may see of the files named f.
    "VISIBLE": """(f.source IN (SELECT value FROM json_each(:sources))
        AND (:curated OR NOT f.curated)
        AND f.path NOT IN (SELECT value FROM json_each(:hidden))
        AND (:transcripts IS NULL OR f.source <> 'sessions'
             OR f.path IN (SELECT value FROM json_each(:transcripts))))""",
    # The first chunk of the file named f.
    "FIRST_CHUNK": "(SELECT min(c.id) FROM gN_chunks AS c WHERE c.file = f.id)",
    # The vector of a text: NULL as long as there is none, 0 if it has no direction.
    "VECTOR_OF": "SELECT CASE usable WHEN 1 THEN id ELSE 0 END FROM vectors WHERE identity = :identity AND hash =",
    # Files and chunks of the paths in a JSON array.
    "THEIR_CHUNKS": "SELECT id FROM gN_chunks WHERE file IN (THEIR_FILES)",
    "THEIR_FILES": "SELECT id FROM gN_files WHERE path IN (SELECT value FROM json_each(?))",
}


@functools.lru_cache(maxsize=512)
def sql(template: str, generation: int) -> str:
    """Fill in the fragments (words in capitals) and the names of the generation's tables (``gN_…``)."""
    for name, fragment in _FRAGMENTS.items():
        template = template.replace(name, fragment)
    return template.replace("gN_", f"g{generation}_")


@functools.lru_cache(maxsize=64)
def visible_bindings(visible: Visible) -> MappingProxyType[str, object]:
    """Values for the filter that ``VISIBLE`` stands for."""
    transcripts = None if visible.transcripts is None else json.dumps(sorted(visible.transcripts))
    values = {
        "sources": json.dumps(list(visible.sources)),
        "curated": int(visible.curated),
        "hidden": json.dumps(sorted(visible.hidden_paths)),
        "transcripts": transcripts,
    }
    return MappingProxyType(values)


def generation_schema(generation: int, kind: TextKind) -> str:
    """Statements that create the tables of a generation."""
    text = ""
    if kind != "none":
        text = _TEXT.replace("TOKENIZER", " ".join(f"'{word}'" for word in TOKENIZERS[kind]))
    return sql(_GENERATION + text, generation)
