from __future__ import annotations

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memory_core.sessions.redact import redact

LONG = "AbCdEfGhIjKlMnOpQrStUvWx"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"OPENAI_API_KEY={LONG}", "OPENAI_API_KEY=AbCdEf…UvWx"),
        ("DB_PASSWORD=hunter22", "DB_PASSWORD=***"),
        ("export my_token='short-one'", "export my_token='***'"),
        (f'{{"apiKey": "{LONG}"}}', '{"apiKey": "AbCdEf…UvWx"}'),
        ('{"password":"p w"}', '{"password":"***"}'),
        (f'"{{\\"token\\": \\"{LONG}\\"}}"', '"{\\"token\\": \\"AbCdEf…UvWx\\"}"'),
        (f"run --api-key {LONG} now", "run --api-key AbCdEf…UvWx now"),
        ("run --token=abcdef", "run --token=***"),
        (f"Authorization: Bearer {LONG}", "Authorization: Bearer AbCdEf…UvWx"),
        (f"curl -H 'authorization: bearer {LONG}'", "curl -H 'authorization: bearer AbCdEf…UvWx'"),
        (f"Bearer {LONG}", "Bearer AbCdEf…UvWx"),
        ("postgres://joe:s3cret@db:5432/x", "postgres://joe:***@db:5432/x"),
        ("sk-test-7QxAbCdEfGhIjKlMnOp", "sk-tes…MnOp"),
        (f"ghp_{LONG}", "ghp_Ab…UvWx"),
        (f"github_pat_{LONG}", "github…UvWx"),
        ("xoxb-1234567890-abc", "xoxb-1…-abc"),
        ("xapp-1-A02-123456789", "xapp-1…6789"),
        (f"gsk_{LONG}", "gsk_Ab…UvWx"),
        (f"AIza{LONG}", "AIzaAb…UvWx"),
        (f"pplx-{LONG}", "pplx-A…UvWx"),
        (f"npm_{LONG}", "npm_Ab…UvWx"),
        (f"123456789:{LONG}{LONG}", "123456…UvWx"),
        (
            "a\n-----BEGIN RSA PRIVATE KEY-----\nMIIE\nxyz\n-----END RSA PRIVATE KEY-----\nb",
            "a\n-----BEGIN RSA PRIVATE KEY-----\n…redacted…\n-----END RSA PRIVATE KEY-----\nb",
        ),
    ],
)
def test_known_shapes_are_masked(text: str, expected: str) -> None:
    assert redact(text) == expected


def test_a_private_key_without_an_end_is_masked_to_the_end() -> None:
    assert "MIIE" not in redact("-----BEGIN PRIVATE KEY-----\nMIIE\nmore")


@pytest.mark.parametrize(
    "text",
    [
        "The key to the barn hangs behind the door.",
        "token: a word of three letters",
        "The password is on the fridge",
        "KEY",
        "ask-me-anything about risk-taking",
        "see https://example.org/a:b@c",
        "time 12:30, ratio 3:45",
        "git commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
        "屋根の鍵は裏口にある",
        "max_tokens: 400, overlap: 80",
        "memory/2026-05-05.md#L3",
    ],
)
def test_prose_and_code_stay_as_they_are(text: str) -> None:
    assert redact(text) == text


ALPHABET = string.ascii_letters + string.digits
SHAPES = st.sampled_from(
    [
        "MY_API_KEY={}",
        "my_secret = '{}'",
        '{{"apiKey":"{}"}}',
        '{{"access_token": "{}"}}',
        "--api-key {}",
        "--password={}",
        "Authorization: Bearer {}",
        "x-api-key: {}",
        "Bearer {}",
        "sk-{}",
        "ghp_{}",
        "AIza{}",
        "xoxb-{}",
        "npm_{}",
    ]
)

AROUND = st.sampled_from(["", "x", "夜", "{", '"', "key", "Bearer", "=", ":", "-", "\n"])


@given(
    shape=SHAPES,
    secret=st.text(ALPHABET, min_size=20, max_size=60),
    before=AROUND,
    after=AROUND,
)
def test_a_secret_in_any_known_shape_never_survives(shape: str, secret: str, before: str, after: str) -> None:
    masked = redact(f"{before} {shape.format(secret)} {after}")
    assert secret not in masked
    assert secret[-10:] not in masked
    assert secret[4:16] not in masked


@given(st.text(max_size=200))
def test_masking_twice_changes_nothing(text: str) -> None:
    once = redact(text)
    assert redact(once) == once


@given(shape=SHAPES, secret=st.text(ALPHABET, min_size=6, max_size=40))
def test_masking_a_masked_secret_changes_nothing(shape: str, secret: str) -> None:
    once = redact(shape.format(secret))
    assert redact(once) == once


def test_long_text_without_blanks_is_masked_in_reasonable_time() -> None:
    text = "A" * 200_000 + " " + "a.b-" * 50_000 + " KEY" * 20_000
    assert len(redact(text)) > 100_000
