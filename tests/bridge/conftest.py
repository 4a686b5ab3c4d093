"""A home with notes, and the program that serves them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from support.bridge_client import BridgeClient
from support.doors import Home, make_home

HELLO = {"protocol": 1}


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return make_home(tmp_path)


@pytest.fixture
def bridge(home: Home) -> Iterator[BridgeClient]:
    """The program, greeted."""
    with BridgeClient(home.options) as client:
        client.call("hello", HELLO)
        yield client
