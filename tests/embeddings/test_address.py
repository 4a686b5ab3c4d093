"""Base URLs have one spelling."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memory_core.embeddings.address import is_loopback, normalise_url, public_url, same_place
from openclaw_memory_core.errors import ProviderUnavailableError

DEFAULT = "https://api.openai.com/v1"


@pytest.mark.parametrize(
    "spelling",
    [
        "https://api.example.com/v1",
        "https://api.example.com/v1/",
        "https://api.example.com/v1//",
        " https://API.Example.com:443/v1 ",
        "HTTPS://api.example.com//v1/embeddings",
        "https://api.example.com/v1/embeddings/",
    ],
)
def test_spellings_of_one_address_are_equal(spelling: str) -> None:
    assert normalise_url(spelling, None) == "https://api.example.com/v1"


@pytest.mark.parametrize("unset", [None, "", "   "])
def test_unset_or_blank_means_the_default(unset: str | None) -> None:
    assert normalise_url(unset, DEFAULT) == DEFAULT


def test_port_path_query_and_ipv6_survive() -> None:
    assert normalise_url("http://[::1]:8080/a/b/?api-version=1", None) == "http://[::1]:8080/a/b?api-version=1"


@pytest.mark.parametrize("bad", ["api.example.com/v1", "ftp://x/v1", "http://", "http://x:port/", "/v1", "http:///v1"])
def test_what_is_no_web_address_is_refused_with_the_name_of_the_setting(bad: str) -> None:
    with pytest.raises(ProviderUnavailableError, match=r"remote\.baseUrl"):
        normalise_url(bad, None)


@given(
    st.sampled_from(["http", "https"]),
    st.from_regex(r"[a-z]{1,8}(\.[a-z]{2,3})?", fullmatch=True),
    st.integers(1, 65535),
)
def test_normalising_twice_changes_nothing(scheme: str, host: str, port: int) -> None:
    once = normalise_url(f"{scheme}://{host}:{port}/v1/", None)

    assert normalise_url(once, None) == once


def test_the_public_form_has_no_secrets() -> None:
    assert public_url("https://me:pa55word@x.org/v1?key=abc#f") == "https://x.org/v1"


def test_a_key_belongs_to_one_address() -> None:
    assert same_place("https://a.org/v1", "https://a.org/v1")
    assert not same_place("https://a.org/v1", "http://a.org/v1")
    assert not same_place("https://a.org/v1", "https://b.org/v1")
    assert not same_place("https://a.org/v1", "https://a.org:8443/v1")


def test_loopback_addresses_are_known() -> None:
    assert all(map(is_loopback, ["http://localhost:1/", "http://127.0.0.1", "http://127.8.0.1", "http://[::1]:9"]))
    assert not is_loopback("https://localhost.example.com")
