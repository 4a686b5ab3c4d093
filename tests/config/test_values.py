from __future__ import annotations

import pytest

from openclaw_memory_core.errors import ConfigError


def nest(key: str, value: object) -> dict:
    for part in reversed(key.split(".")):
        value = {part: value}
    return value  # type: ignore[return-value]


def search(key: str, value: object) -> dict:
    return {"memory": {"search": nest(key, value)}}


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("enabled", "true", "must be true or false, not a string"),
        ("enabled", 1, "must be true or false, not a number"),
        ("model", 5, "must be a string, not a number"),
        ("model", ["m"], "must be a string, not a list"),
        ("query.maxResults", "6", "must be a number, not a string"),
        ("query.maxResults", True, "must be a number, not true"),
        ("query.maxResults", 0, "out of range"),
        ("query.maxResults", 1.5, "must be a whole number"),
        ("query.maxResults", float("nan"), "not a usable number"),
        ("query.maxResults", float("inf"), "not a usable number"),
        ("query.maxResults", 10**400, "not a usable number"),
        ("query.minScore", {}, "must be a number, not an object"),
        ("query", [], "must be an object, not a list"),
        ("query.hybrid.fusion", "best", '"best" is none of relative, zscore, documented, rrf'),
        ("store.fts.tokenizer", "porter", "is none of unicode61, trigram"),
        ("sources", "memory", "must be a list, not a string"),
        ("sources", ["memory", "wiki"], '"wiki" is none of memory, sessions'),
        ("extraPaths", [5], "must be a string, not a number"),
        ("extraPaths", [{"pattern": "*.md"}], "has no path"),
        ("extraPaths", "~/x", "must be a list"),
        ("inputType", "", "must not be empty"),
        ("outputDimensionality", -1, "out of range"),
        ("remote.baseUrl", "localhost:1234", "starts with http"),
        ("remote.baseUrl", "ftp://x", "starts with http"),
        ("remote.apiKey", 5, "must be a string or a secret reference, not a number"),
        ("remote.headers", {"A": "x\r\nB: y"}, "not a valid header"),
        ("remote.headers", ["A"], "must be an object"),
        ("remote.batch.timeoutMinutes", 0, "out of range"),
        ("multimodal.maxFileBytes", "ten", "is not a size"),
        ("model", "half \ud800", "not valid Unicode"),
    ],
)
def test_a_wrong_value_is_an_error_with_its_key(key: str, value: object, message: str, load):
    with pytest.raises(ConfigError) as caught:
        load(search(key, value))
    assert message in caught.value.message
    assert caught.value.key_path is not None
    assert caught.value.key_path.startswith(f"memory.search.{key}")
    assert caught.value.key_path in caught.value.message


def test_all_wrong_settings_can_be_named_at_once(home):
    from openclaw_memory_core.config import check_config

    wrong = {"memory": {"search": {"model": 5, "query": {"maxResults": 0, "minScore": 0.2}}}, "plugins": {"deny": 1}}
    checked = check_config(wrong, env={"HOME": str(home)}, cwd=home)
    assert [error.key_path for error in checked.errors] == [
        "plugins.deny",
        "memory.search.model",
        "memory.search.query.maxResults",
    ]
    query = checked.config.agent().search.query
    assert (query.max_results, query.min_score) == (6, 0.2)


def test_the_error_names_the_key_of_the_older_shape(load):
    with pytest.raises(ConfigError) as caught:
        load({"agents": {"list": [{"id": "a"}, {"id": "b", "memorySearch": {"query": {"minScore": "x"}}}]}})
    assert caught.value.key_path == "agents.list[1].memorySearch.query.minScore"


@pytest.mark.parametrize(
    ("key", "value", "attribute", "expected"),
    [
        ("query.minScore", 7, "query.min_score", 1),
        ("query.minScore", -1, "query.min_score", 0),
        ("chunking.tokens", 0, "chunking.tokens", 1),
        ("chunking.tokens", 99.9, "chunking.tokens", 99),
        ("query.hybrid.candidateMultiplier", 100, "query.hybrid.candidate_multiplier", 20),
        ("query.hybrid.mmr.lambda", 1.5, "query.hybrid.mmr.lambda_", 1),
        ("query.hybrid.temporalDecay.halfLifeDays", 0.5, "query.hybrid.temporal_decay.half_life_days", 1),
        ("cache.maxEntries", 0, "cache.max_entries", 1),
        ("remote.batch.concurrency", 0, "remote.batch.concurrency", 1),
        ("sync.sessions.deltaMessages", -3, "sync.sessions_delta_messages", 0),
    ],
)
def test_numbers_with_a_natural_range_are_brought_into_it(key, value, attribute, expected, load):
    from operator import attrgetter

    config = load(search(key, value))
    assert attrgetter(attribute)(config.agent().search) == expected
    in_range = isinstance(value, float) and value > 1.5
    assert [w.key_path for w in config.warnings] == ([] if in_range else [f"memory.search.{key}"])


def test_the_overlap_stays_below_the_size_of_a_chunk(load):
    config = load({"memory": {"search": {"chunking": {"tokens": 50}}}})
    assert config.agent().search.chunking.overlap == 49
    assert config.warnings == ()
    warned = load({"memory": {"search": {"chunking": {"tokens": 50, "overlap": 60}}}})
    assert warned.agent().search.chunking.overlap == 49
    assert "49 is used" in warned.warnings[0].message


@pytest.mark.parametrize(
    ("vector", "text", "expected"),
    [(1, 1, (0.5, 0.5)), (0.2, 0.6, (0.25, 0.75)), (0, 0, (0.7, 0.3)), (1, 0, (1, 0)), (5, 5, (0.5, 0.5))],
)
def test_weights_are_scaled_to_one(vector, text, expected, load):
    config = load(search("query.hybrid", {"vectorWeight": vector, "textWeight": text}))
    hybrid = config.agent().search.query.hybrid
    assert (hybrid.vector_weight, hybrid.text_weight) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("value", "expected"),
    [("2mb", 2_097_152), ("2 MB", 2_097_152), ("1.5k", 1536), ("10", 10), (7, 7), (0, 0), ("1GiB", 1_073_741_824)],
)
def test_sizes(value: object, expected: int, load):
    flush = nest("agents.defaults.compaction.memoryFlush.forceFlushTranscriptBytes", value)
    assert load(flush).agent().flush.force_flush_transcript_bytes == expected


def test_the_context_of_the_local_model_may_be_auto(load):
    assert load(search("local.contextSize", "auto")).agent().search.local.context_size is None
    assert load(search("local.contextSize", 4096)).agent().search.local.context_size == 4096


def test_a_warning_reads_as_a_sentence_with_and_without_a_key(load, tmp_path):
    assert str(load(search("zzz", 1)).warnings[0]) == "memory.search.zzz: is not a known key and is ignored"
    assert str(load(path=tmp_path / "no.json").warnings[0]).endswith("no.json does not exist; the defaults are used")


def test_modalities_may_be_all(load):
    assert load(search("multimodal.modalities", ["all"])).agent().search.multimodal.modalities == ("image", "audio")
    assert load(search("multimodal.modalities", ["audio"])).agent().search.multimodal.modalities == ("audio",)


def test_provider_words_in_any_case_and_other_ids_as_they_are(load):
    for written, expected in (("NONE", "none"), ("Auto", "auto"), (" my-Provider ", "my-Provider")):
        assert load(search("provider", written)).agent().search.provider == expected


@pytest.mark.parametrize(
    ("key", "suggestion"),
    [
        ("query.minscore", "minScore"),
        ("query.min_score", "minScore"),
        ("enable", "enabled"),
        ("minScore", "query.minScore"),
        ("lambda", "query.hybrid.mmr.lambda"),
        ("hybrid", "query.hybrid"),
        ("remote.apikey", "apiKey"),
    ],
)
def test_an_unknown_key_is_named_with_the_closest_known_one(key: str, suggestion: str, load):
    [warning] = load(search(key, 1)).warnings
    assert warning.key_path == f"memory.search.{key}"
    assert f'did you mean "{suggestion}"?' in warning.message


def test_an_unknown_key_without_a_likeness_is_named_all_the_same(load):
    [warning] = load(search("zzz", 1)).warnings
    assert warning.message == "is not a known key and is ignored"


@pytest.mark.parametrize(
    ("config", "key"),
    [
        ({"memmory": {}}, "memmory"),
        ({"plugins": {"slot": {}}}, "plugins.slot"),
        ({"memory": {"serach": {}}}, "memory.serach"),
        ({"agents": {"defaults": {"memorysearch": {}}}}, "agents.defaults.memorysearch"),
        ({"agents": {"defaults": {"memory": {"search": {}}}}}, "agents.defaults.memory"),
        ({"agents": {"entries": {"main": {"memory": {"x": 1}}}}}, "agents.entries.main.memory.x"),
        ({"memory": {"search": {"extraPaths": [{"path": "a", "patern": "b"}]}}}, "memory.search.extraPaths[0].patern"),
    ],
)
def test_a_slip_of_the_pen_outside_of_the_search_settings_is_named(config: dict, key: str, load):
    assert [w.key_path for w in load(config).warnings] == [key]


@pytest.mark.parametrize(
    ("config", "attribute", "expected"),
    [
        ({"tools": {"sessions": {"visibility": "everyone"}}}, "visibility", "tree"),
        ({"session": {"scope": "x"}}, "scope", "per-sender"),
    ],
)
def test_unknown_words_in_settings_of_the_host_give_the_default_and_a_warning(config, attribute, expected, load):
    loaded = load(config)
    assert getattr(loaded.sessions, attribute) == expected
    assert "the default is used" in loaded.warnings[0].message


@pytest.mark.parametrize(
    ("slot", "expected"),
    [
        ("memory-core", "memory-core"),
        (" other ", "other"),
        ("", "memory-core"),
        ("  ", "memory-core"),
        ("none", None),
        (" NONE ", None),
        (5, "memory-core"),
        (None, "memory-core"),
    ],
)
def test_the_slot(slot: object, expected: str | None, load):
    assert load({"plugins": {"slots": {"memory": slot}}}).slot.memory == expected


def test_what_switches_plugins_off(load):
    slot = load(
        {
            "plugins": {
                "enabled": False,
                "deny": ["a", "a"],
                "allow": ["b"],
                "entries": {"c": {"enabled": False}, "d": {"enabled": True}, "e": {}},
            }
        }
    ).slot
    assert (slot.enabled, slot.deny, slot.allow, slot.disabled_entries) == (False, ("a",), ("b",), ("c",))
    with pytest.raises(ConfigError, match=r"plugins\.entries\.c\.enabled"):
        load({"plugins": {"entries": {"c": {"enabled": "no"}}}})


def test_flush_and_start_settings(load):
    agent = load(
        {
            "agents": {
                "defaults": {
                    "contextTokens": 1000,
                    "userTimezone": "Europe/Berlin",
                    "bootstrapMaxChars": 10,
                    "bootstrapTotalMaxChars": 20,
                    "contextLimits": {"memoryGetMaxChars": 30},
                    "startupContext": {"enabled": False, "dailyMemoryDays": 99, "maxFileChars": 5, "maxTotalChars": 6},
                    "compaction": {
                        "reserveTokensFloor": 7,
                        "memoryFlush": {
                            "enabled": False,
                            "softThresholdTokens": 8.9,
                            "prompt": " keep ",
                            "systemPrompt": " ",
                            "model": "a/b",
                        },
                    },
                }
            }
        }
    ).agent()
    assert (agent.context_tokens, agent.timezone, agent.memory_get_max_chars) == (1000, "Europe/Berlin", 30)
    start = agent.startup
    assert (start.enabled, start.daily_days, start.max_file_chars, start.max_total_chars) == (False, 14, 10, 20)
    assert (start.daily_max_file_chars, start.daily_max_total_chars) == (5, 6)
    flush = agent.flush
    assert (flush.enabled, flush.reserve_tokens_floor, flush.soft_threshold_tokens) == (False, 7, 8)
    assert (flush.prompt, flush.system_prompt, flush.model) == (" keep ", None, "a/b")


@pytest.mark.parametrize("zone", ["Mars/Base", "../../etc/passwd", "/etc/localtime", "a\0b", "x" * 300, "Europe"])
def test_an_unknown_time_zone_is_a_warning(zone: str, load):
    config = load({"agents": {"defaults": {"userTimezone": zone}}})
    assert config.agent().timezone is None
    assert config.warnings[0].key_path == "agents.defaults.userTimezone"


def test_a_mapping_of_the_host_may_hold_paths_and_tuples_but_nothing_stranger(load, tmp_path):
    config = load({"agents": {"defaults": {"workspace": tmp_path}}, "plugins": {"deny": ("a",)}})
    assert (config.agent().workspace, config.slot.deny) == (tmp_path, ("a",))
    with pytest.raises(ConfigError, match="set is no configuration value"):
        load({"plugins": {"deny": {"a"}}})
    with pytest.raises(ConfigError, match="every key must be a string"):
        load({"plugins": {5: 1}})
    endless: dict = {}
    endless["x"] = endless
    with pytest.raises(ConfigError, match="nested too deeply"):
        load(endless)
