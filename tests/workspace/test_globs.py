"""Patterns of extra paths."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memory_core.workspace.globs import compile_glob


@pytest.mark.parametrize(
    ("pattern", "path", "fits"),
    [
        ("*.md", "a.md", True),
        ("*.md", "x/a.md", False),
        ("**/*.md", "a.md", True),
        ("**/*.md", "x/y/a.md", True),
        ("x/**", "x/y/a.md", True),
        ("x/**/a.md", "x/a.md", True),
        ("x/**/a.md", "xx/a.md", False),
        ("?.md", "a.md", True),
        ("?.md", "/.md", False),
        ("[a-c].md", "b.md", True),
        ("[!a-c].md", "b.md", False),
        ("[!a-c]x.md", "/x.md", False),
        ("[a--c].md", "b.md", True),
        ("[--a].md", "-.md", True),
        ("[c-a].md", "-.md", True),
        ("[]a].md", "].md", True),
        ("[\\w].md", "x.md", False),
        ("{a,b}/*.md", "b/n.md", True),
        ("{a,b}/*.md", "c/n.md", False),
        ("a,b.md", "a,b.md", True),
        ("a{b.md", "a{b.md", True),
        ("a[b.md", "a[b.md", True),
        ("a.md", "aXmd", False),
        ("./a.md", "a.md", True),
    ],
)
def test_a_pattern_means_what_it_means_in_a_shell(pattern: str, path: str, fits: bool) -> None:
    assert (compile_glob(pattern).fullmatch(path) is not None) == fits


@given(st.text(st.sampled_from("*?[]!^{},/.-\\ab&|~"), max_size=20))
def test_no_pattern_fails(pattern: str) -> None:
    compile_glob(pattern).fullmatch("a/b.md")
