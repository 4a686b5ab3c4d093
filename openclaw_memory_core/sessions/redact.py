"""Masking credentials in text that leaves a transcript, a log or an error.

Shapes as the host masks them: assignments and JSON fields with telling names, command-line flags, ``Authorization``
headers, PEM private keys, and tokens with the well-known prefixes of their issuers.
"""

from __future__ import annotations

import re
from collections.abc import Callable

_SHORT = 18
_NAME = r"[A-Za-z0-9_.-]*(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?)"
_JSON_NAME = r"[A-Za-z0-9_-]*(?:api[_-]?key|access[_-]?key|token|secret|password|passwd|passphrase|private[_-]?key)"
_VALUE = r"[^\s\"'`,;&<>(){}\[\]\\]"

_PEM = re.compile(r"(-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----)(.*?)(-----END [A-Z0-9 ]*PRIVATE KEY-----|\Z)", re.DOTALL)
_PATTERNS: tuple[re.Pattern[str], ...] = (
    # "apiKey": "…" and 'token': '…', also with escaped quotes inside a JSON string
    re.compile(rf"\\*[\"']{_JSON_NAME}\\*[\"']\s*:\s*\\*[\"'](?P<secret>[^\"'\\\s][^\"'\\]*)", re.IGNORECASE),
    # NAME=value, NAME: value; quotes allowed.  Lower-case names need "=", else prose ("the token: …") would be cut.
    re.compile(rf"\b{_NAME}\b[\"']?\s*[=:]\s*[\"'`]?(?P<secret>{_VALUE}{{4,}})"),
    re.compile(rf"\b{_NAME}\b[\"']?\s*=\s*[\"'`]?(?P<secret>{_VALUE}{{4,}})", re.IGNORECASE),
    re.compile(
        rf"--(?:[a-z0-9]+-)*(?:api-?key|key|token|secret|password|passwd)(?:\s+|=)[\"'`]?(?P<secret>{_VALUE}{{4,}})",
        re.IGNORECASE,
    ),
    re.compile(
        r"\b(?:Authorization|Proxy-Authorization|X-Api-Key|Api-Key)\b[\"']?\s*[:=]\s*[\"']?"
        rf"(?:(?:Bearer|Basic|Token)\s+)?(?P<secret>{_VALUE}{{6,}})",
        re.IGNORECASE,
    ),
    re.compile(rf"\bBearer\s+(?P<secret>{_VALUE}{{12,}})", re.IGNORECASE),
    # user:password@host in a URL
    re.compile(r"\b[a-z][a-z0-9+.-]*://[^\s/:@]*:(?P<secret>[^\s/@]{3,})@", re.IGNORECASE),
    re.compile(
        r"(?<![A-Za-z0-9])(?P<secret>"
        r"sk-[A-Za-z0-9_-]{8,}|gh[pousr]_[A-Za-z0-9]{16,}|github_pat_[A-Za-z0-9_]{16,}|xox[a-z]-[A-Za-z0-9-]{8,}"
        r"|xapp-[A-Za-z0-9-]{8,}|gsk_[A-Za-z0-9_-]{8,}|AIza[A-Za-z0-9_-]{16,}|pplx-[A-Za-z0-9_-]{8,}"
        r"|npm_[A-Za-z0-9]{8,}|pa-[A-Za-z0-9_-]{32,}|AKIA[A-Z0-9]{16}|[0-9]{6,12}:[A-Za-z0-9_-]{30,}"
        r"|eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,})"
    ),
)


def redact(text: str) -> str:
    """*text* with every credential masked: shorter than 18 characters as ``***``, else first six and last four."""
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
