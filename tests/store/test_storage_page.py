"""docs/storage.md says what the code does."""

from __future__ import annotations

import re
from pathlib import Path

from support.store import Bench, identity

from openclaw_memory_core import errors
from openclaw_memory_core.config.model import CacheConfig
from openclaw_memory_core.index.store import centres, nearest, ranking, schema, text, upkeep

PAGE = (Path(__file__).parents[2] / "docs" / "storage.md").read_text(encoding="utf-8")
FLAT = " ".join(PAGE.split())


def test_the_tables_on_the_page_are_those_of_the_file(bench: Bench) -> None:
    bench.put(bench.store.writer(identity()), "memory/a.md", "kiln")
    with bench.store._database.read() as db:
        names = [str(row[0]) for row in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
    shadows = re.compile(r"_(data|idx|docsize|config|content)$")
    made = {re.sub(r"^g\d+_", "gN_", name) for name in names if not shadows.search(name)} - {"sqlite_sequence"}
    assert set(re.findall(r"^\| `(\w+)` \|", PAGE, flags=re.MULTILINE)) == made


def test_every_error_of_the_store_is_in_the_table() -> None:
    codes = {
        kind.code for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, errors.StoreError)
    }
    assert set(re.findall(r"\| `(store[a-z-]*)` \|", PAGE)) == codes


def test_the_numbers_on_the_page_are_those_of_the_code() -> None:
    assert f"0x{schema.APPLICATION_ID:X}".lower() in PAGE.lower()
    assert nearest.OVERSAMPLING == 8
    assert f"at least {nearest.FEWEST}," in FLAT
    assert f"Below {centres.CODED_FROM:,} vectors" in FLAT
    assert f"that of {centres._SAMPLE:,} vectors" in FLAT
    assert f"up to {centres._SETTLED:,}" in FLAT
    assert f"in steps of {upkeep._ROWS:,} rows" in FLAT
    assert f"`cache.maxEntries` ({CacheConfig().max_entries:,})" in FLAT
    assert ranking.WEIGHTS == (1.0, 0.6, 1.0)
    assert "weighs text 1, headings 0.6, and the words of date and file name 1" in FLAT
    assert text.fold("账单系").split() == ["账", "账单", "单", "单系", "系"]
    assert text.LONG_RUN == 3
