from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading

import pytest

from openclaw_memory_core.cli.interrupt import interruptible

pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals")

# What can happen at any moment while the main thread waits for the token, here for sure.
HELD = """
import signal
from openclaw_memory_core.cli.interrupt import interruptible

with interruptible() as token:
    with token._event._cond:
        signal.raise_signal(signal.SIGINT)
    assert token.wait(20)
"""


def test_a_signal_that_meets_the_lock_of_the_token_in_its_own_thread_does_not_hang():
    run = subprocess.run([sys.executable, "-c", HELD], capture_output=True, encoding="utf-8", timeout=30)
    assert run.returncode == 0, run.stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_first_signal_asks_and_the_second_insists(number: signal.Signals):
    before = signal.getsignal(number)
    with interruptible() as token:
        signal.raise_signal(number)
        assert token.wait(10)
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(number)
    assert signal.getsignal(number) is before


def test_nothing_is_left_behind():
    threads = threading.active_count()
    with interruptible() as token:
        assert not token.cancelled
    assert threading.active_count() == threads
    assert not token.cancelled


def test_in_another_thread_signals_are_left_alone():
    before = signal.getsignal(signal.SIGINT)
    found = []

    def work() -> None:
        with interruptible() as token:
            found.append((token.cancelled, signal.getsignal(signal.SIGINT)))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert found == [(False, before)]
