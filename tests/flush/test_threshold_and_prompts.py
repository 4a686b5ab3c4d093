from __future__ import annotations

import datetime as dt
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memory_core.config.model import FlushConfig
from openclaw_memory_core.flush.prompts import is_flush_prompt, system_prompt, user_prompt
from openclaw_memory_core.flush.threshold import flush_threshold

NOW = dt.datetime(2026, 5, 5, 10, 0, tzinfo=ZoneInfo("Europe/Lisbon"))


@pytest.mark.parametrize(
    ("window", "tokens", "adjusted"),
    [
        (200_000, 176_000, False),
        (32_768, 8_768, False),
        (24_001, 1, False),
        (24_000, 14_000, True),
        (16_000, 8_000, True),
        (1, 1, True),
        (0, 1, True),
    ],
)
def test_thresholds_of_windows(window: int, tokens: int, adjusted: bool) -> None:
    threshold = flush_threshold(window, FlushConfig())
    assert (threshold.tokens, threshold.adjusted) == (tokens, adjusted)


@given(window=st.integers(-5, 10**7), reserve=st.integers(0, 10**7), soft=st.integers(0, 10**7))
def test_a_threshold_lies_within_its_window(window: int, reserve: int, soft: int) -> None:
    threshold = flush_threshold(window, FlushConfig(reserve_tokens_floor=reserve, soft_threshold_tokens=soft))
    assert 1 <= threshold.tokens <= max(1, window)


def test_the_date_and_the_time_are_filled_in() -> None:
    text = user_prompt(FlushConfig(), NOW)
    assert "memory/2026-05-05.md" in text
    assert text.endswith("Current time: Tuesday, 2026-05-05 10:00 (WEST)")
    assert "memory/2026-05-05.md" in system_prompt(FlushConfig(), NOW)


def test_custom_prompts_are_kept_and_completed() -> None:
    config = FlushConfig(prompt="Save to YYYY-MM-DD and YYYY-MM-DD.", system_prompt="Be brief.")
    text = user_prompt(config, NOW)
    assert text.startswith("Save to 2026-05-05 and 2026-05-05.\n\n")
    assert "NO_REPLY" in text
    assert system_prompt(config, NOW).startswith("Be brief.\n\n")
    assert "NO_REPLY" in system_prompt(config, NOW)


def test_a_prompt_that_is_complete_is_not_changed() -> None:
    config = FlushConfig(prompt="Current time: now. NO_REPLY", system_prompt="NO_REPLY please")
    assert user_prompt(config, NOW) == "Current time: now. NO_REPLY"
    assert system_prompt(config, NOW) == "NO_REPLY please"


@pytest.mark.parametrize(
    "text",
    [
        user_prompt(FlushConfig(), NOW),
        "  " + user_prompt(FlushConfig(), NOW),
        "Pre-compaction memory flush. Store durable memories now.",
        "Write any lasting notes to memory/YYYY-MM-DD.md; reply with NO_REPLY if nothing to store.",
        "Write any lasting notes to memory/2026-05-05.md; reply with NO_REPLY if nothing to store.",
    ],
)
def test_flush_prompts_are_recognised(text: str) -> None:
    assert is_flush_prompt(text)


@pytest.mark.parametrize("text", ["", "What does NO_REPLY mean?", "See memory/2026-05-05.md", "Flush the pipes"])
def test_other_messages_are_not(text: str) -> None:
    assert not is_flush_prompt(text)
