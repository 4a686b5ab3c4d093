"""Files that are put in each other's place between a look and the next one."""

from __future__ import annotations

from pathlib import Path

import pytest

from openclaw_memory_core.errors import PathNotAllowedError
from openclaw_memory_core.workspace.places import Places
from openclaw_memory_core.workspace.workspace import Workspace


class _SavingEditor:
    """Saves ``MEMORY.md`` as editors do, with a new file in its place, right after somebody has looked who it is."""

    def __init__(self, root: Path, looks: int) -> None:
        self.root = root
        self.left = looks
        self.look = Places.curated_identities

    def __call__(self, places: Places) -> frozenset[tuple[int, int]]:
        seen = self.look(places)
        if self.left > 0:
            self.left -= 1
            fresh = self.root / "MEMORY.md.new"
            fresh.write_text("- the zebra's account is 4411\n", encoding="utf-8")
            fresh.replace(self.root / "MEMORY.md")
        return seen


@pytest.mark.parametrize("looks", [1, 2, 3])
@pytest.mark.parametrize("path", ["MEMORY.md", "./memory/../MEMORY.md", "MEMORY.md#L1"])
def test_curated_file_that_is_saved_while_a_group_reads_it_stays_private(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str, looks: int
) -> None:
    (tmp_path / "MEMORY.md").write_text("- the zebra's account is 4411\n", encoding="utf-8")
    editor = _SavingEditor(tmp_path, looks)
    monkeypatch.setattr(Places, "curated_identities", lambda places: editor(places))  # noqa: PLW0108 - an instance is not bound

    with pytest.raises(PathNotAllowedError):
        Workspace(tmp_path).read(path, curated=False)


@pytest.mark.parametrize("looks", [1, 2, 3])
def test_curated_file_that_is_saved_while_it_is_indexed_is_indexed_as_curated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, looks: int
) -> None:
    (tmp_path / "MEMORY.md").write_text("- the zebra's account is 4411\n", encoding="utf-8")
    workspace = Workspace(tmp_path)
    editor = _SavingEditor(tmp_path, looks)
    monkeypatch.setattr(Places, "curated_identities", lambda places: editor(places))  # noqa: PLW0108 - an instance is not bound
    (ref,) = workspace.scan().documents

    assert ref.curated
    assert workspace.load(ref).ref.curated
