"""Masking credentials in text that leaves a transcript, a log or an error.

Shapes as the host masks them: assignments and JSON fields with telling names, command-line flags, ``Authorization``
headers, PEM private keys, and tokens with the well-known prefixes of their issuers.
"""

from __future__ import annotations

import re
from collections.abc import Callable

_SHORT = 18
# Every repetition is bounded: long text without blanks must not cost more than its length.
_WORDS = r"(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE)"
_JSON_NAME = (
    r"[A-Za-z0-9_-]{0,40}(?:api[_-]?key|access[_-]?key|token|secret|password|passwd|passphrase|private[_-]?key)"
)
_CHAR = r"[^\s\"'`,;&<>(){}\[\]\\]"
_GAP = r"[ \t]{0,4}"

_PEM = re.compile(
    r"(-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY-----)(.*?)(-----END [A-Z0-9 ]{0,40}PRIVATE KEY-----|\Z)", re.DOTALL
)
_PATTERNS: tuple[re.Pattern[str], ...] = (
    # "apiKey": "…" and 'token': '…', also with escaped quotes inside a JSON string
    re.compile(rf"[\"']{_JSON_NAME}\\?[\"']{_GAP}:{_GAP}\\?[\"'](?P<secret>[^\"'\\\n]{{1,4000}})", re.IGNORECASE),
    # NAME=value and NAME: value.  A lower-case name needs "=", or prose ("the token: …") would be cut.
    re.compile(rf"{_WORDS}[\"']?{_GAP}[=:]{_GAP}[\"'`]?(?P<secret>{_CHAR}{{4,}})"),
    re.compile(rf"{_WORDS}[\"']?{_GAP}={_GAP}[\"'`]?(?P<secret>{_CHAR}{{4,}})", re.IGNORECASE),
    re.compile(
        rf"--[a-z0-9-]{{0,40}}(?:key|token|secret|password|passwd)(?:[ \t]{{1,4}}|=)[\"'`]?(?P<secret>{_CHAR}{{4,}})",
        re.IGNORECASE,
    ),
    re.compile(
        rf"\b(?:(?:Proxy-)?Authorization|(?:X-)?Api-Key)\\?[\"']?{_GAP}[:=]{_GAP}\\?[\"']?"
        rf"(?:(?:Bearer|Basic|Token)[ \t]{{1,4}})?+(?P<secret>{_CHAR}{{6,}})",
        re.IGNORECASE,
    ),
    re.compile(rf"\bBearer[ \t]{{1,4}}(?P<secret>{_CHAR}{{12,}})", re.IGNORECASE),
    # user:password@host in a URL
    re.compile(r"://[^\s/:@]{0,100}:(?P<secret>[^\s/@]{3,200})@"),
    re.compile(
        r"(?<![A-Za-z0-9])(?P<secret>"
        r"sk-[A-Za-z0-9_-]{8,}|gh[pousr]_[A-Za-z0-9]{16,}|github_pat_[A-Za-z0-9_]{16,}|xox[a-z]-[A-Za-z0-9-]{8,}"
        r"|xapp-[A-Za-z0-9-]{8,}|gsk_[A-Za-z0-9_-]{8,}|AIza[A-Za-z0-9_-]{16,}|pplx-[A-Za-z0-9_-]{8,}"
        r"|npm_[A-Za-z0-9]{8,}|pa-[A-Za-z0-9_-]{32,}|AKIA[A-Z0-9]{16}|[0-9]{6,12}:[A-Za-z0-9_-]{30,}"
        r"|eyJ[A-Za-z0-9_-]{10,2000}\.[A-Za-z0-9_-]{10,4000}\.[A-Za-z0-9_-]{10,1000})"
    ),
)

# Plain text holds none of these, and most text is plain.
_HINTS = (
    *("key", "token", "secret", "passw", "passphrase", "authorization", "bearer", "://"),
    *("sk-", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "xox", "xapp-", "gsk_", "aiza", "pplx-", "npm_"),
    *("pa-", "akia", "eyj"),
)
_NUMBERED = re.compile(r"[0-9]{6}:[A-Za-z0-9_-]{30}")


def redact(text: str) -> str:
    """*text* with every credential masked: shorter than 18 characters as ``***``, else first six and last four."""
    lowered = text.lower()
    if not any(hint in lowered for hint in _HINTS) and _NUMBERED.search(text) is None:
        return text
    text = _PEM.sub(_redact_pem, text)
    for pattern in _PATTERNS:
        text = pattern.sub(_masker, text)
    return text


def _mask(secret: str) -> str:
    return "***" if len(secret) < _SHORT else f"{secret[:6]}…{secret[-4:]}"


def _redact_pem(match: re.Match[str]) -> str:
    begin, _, end = match.groups()
    return f"{begin}\n…redacted…\n{end}"


def _mask_group(match: re.Match[str]) -> str:
    whole, secret = match.group(0), match.group("secret")
    offset = match.start("secret") - match.start(0)
    # A value that is masked already stays as it is, so that masking twice changes nothing.
    if "***" in secret or "…" in secret:
        return whole
    return whole[:offset] + _mask(secret) + whole[offset + len(secret) :]


_masker: Callable[[re.Match[str]], str] = _mask_group
