"""docs/providers.md says what the code does."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

from openclaw_memory_core.config.model import BatchConfig
from openclaw_memory_core.embeddings import resolve
from openclaw_memory_core.embeddings.batch_run import STRIKES
from openclaw_memory_core.embeddings.registry import PROVIDERS
from openclaw_memory_core.embeddings.retry import RetryPolicy

PAGE = (Path(__file__).parents[2] / "docs" / "providers.md").read_text(encoding="utf-8")


def rows(heading: str) -> list[list[str]]:
    """Cells of the first table after a heading, without its head."""
    section = PAGE.split(f"## {heading}\n", 1)[1].split("\n## ", 1)[0]
    lines = [line for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def plain(cell: str) -> str:
    return cell.replace("`", "")


def test_the_table_of_providers_is_the_registry() -> None:
    written = {plain(row[0]): [plain(cell) for cell in row[1:]] for row in rows("The table")}
    real = {
        spec.id: [
            spec.default_model or "",
            ", ".join(spec.env),
            spec.extra[0] if spec.extra else "",
            "yes" if spec.paid else "no",
            spec.note,
        ]
        for spec in PROVIDERS.values()
    }

    assert written == real


def test_the_order_of_auto_is_the_one_described() -> None:
    sentence = re.search(r"takes the first that works:(.*?)\. ", PAGE, re.DOTALL)
    assert sentence is not None

    assert tuple(re.findall(r"`([\w-]+)`", sentence.group(1))) == ("local", *resolve._AUTO_ORDER)


def test_the_table_of_batch_keys_holds_every_key_and_its_default() -> None:
    written = {plain(row[0]): plain(row[1]) for row in rows("Batch jobs")}
    defaults = BatchConfig()

    def camel(name: str) -> str:
        first, *rest = name.split("_")
        return first + "".join(part.title() for part in rest)

    real = {camel(field.name): f"{getattr(defaults, field.name)}" for field in fields(BatchConfig)}
    assert written == {
        name: {"True": "true", "False": "false"}.get(value, value.removesuffix(".0")) for name, value in real.items()
    }


def test_numbers_in_the_prose_are_those_of_the_code() -> None:
    assert "tried again three times" in PAGE
    assert RetryPolicy().attempts == 3
    assert "beyond five minutes" in PAGE
    assert RetryPolicy().longest_wait == 300
    assert "After two failed jobs" in PAGE
    assert STRIKES == 2
