"""Which calls share a core."""

from __future__ import annotations

from pathlib import Path

from openclaw_memory_core.integrations.openclaw_bridge.pool import CorePool
from openclaw_memory_hookspecs import Runtime


def test_every_name_of_a_workspace_shares_one_core(tmp_path: Path) -> None:
    for name in ("notes", "other"):
        (tmp_path / name).mkdir()
        (tmp_path / f"to-{name}").symlink_to(tmp_path / name)
    config = {
        "agents": {"defaults": {"workspace": str(tmp_path / "notes")}},
        "memory": {"search": {"provider": "none"}},
    }
    pool = CorePool(state_dir=tmp_path / "state", runtime=Runtime(config=config, env={}))
    try:
        with (
            pool.core(None) as own,
            pool.core(None, tmp_path / "to-notes") as linked,
            pool.core(None, tmp_path / "other" / ".." / "notes") as around,
            pool.core(None, tmp_path / "other") as other,
            pool.core(None, tmp_path / "to-other") as other_linked,
        ):
            assert own is linked is around
            assert other is other_linked is not own
    finally:
        pool.close()
