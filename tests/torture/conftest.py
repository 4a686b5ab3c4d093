"""The long rounds run only when asked for by their marker."""

from __future__ import annotations

import pytest


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if "torture" in (config.getoption("markexpr") or ""):
        return
    long = [item for item in items if item.get_closest_marker("torture") is not None]
    if long:
        config.hook.pytest_deselected(items=long)
        items[:] = [item for item in items if item not in long]
