"""Patterns of extra paths."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.cost import cpu_cost

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
        ("***/a.md", "a.md", True),
        ("**/**/a.md", "a.md", True),
        ("a**z", "a/b/z", True),
        ("{*,x}{a,b}*.md", "xb.md", True),
        ("{**/,}a.md", "x/y/a.md", True),
        ("{,**/}", "", True),
        ("{a,b", "{a,b", True),
        ("*", "", True),
        ("*", "\n", True),
        ("", "", True),
        ("", "a", False),
    ],
)
def test_a_pattern_means_what_it_means_in_a_shell(pattern: str, path: str, fits: bool) -> None:
    assert compile_glob(pattern).matches(path) == fits


@given(st.text(st.sampled_from("*?[]!^{},/.-\\ab&|~"), max_size=20))
def test_no_pattern_fails(pattern: str) -> None:
    compile_glob(pattern).matches("a/b.md")


def as_expression(pattern: str) -> re.Pattern[str]:
    """The same meaning as a regular expression, which is plain to read and slow with many stars."""
    pattern = re.sub(r"\*{3,}", "**", pattern.removeprefix("./"))
    found = _translate(pattern, braces=True)
    return re.compile(found if found is not None else _translate(pattern, braces=False) or "", re.DOTALL)


def _translate(pattern: str, *, braces: bool) -> str | None:
    special = re.compile(
        r"(?P<folders>(?:(?<=/)|^)\*\*/)|(?P<any>\*\*)|(?P<star>\*)|(?P<one>\?)"
        r"|\[(?P<not>[!^]?)(?P<members>.[^]]*)\]|(?P<open>\{)|(?P<next>,)|(?P<close>\})|(?P<plain>.)",
        re.DOTALL,
    )
    fixed = {"folders": "(?:[^/]+/)*", "any": ".*", "star": "[^/]*", "one": "[^/]"}
    out, inside = "", False
    for found in special.finditer(pattern):
        kind = found.lastgroup or ""
        if kind in fixed:
            out += fixed[kind]
        elif kind == "members":
            out += ("(?!/)(?!{})." if found["not"] else "(?!/)(?:{})").format(_members(found["members"]))
        elif kind == "open" and braces and not inside:
            out, inside = out + "(?:", True
        elif kind == "next" and inside:
            out += "|"
        elif kind == "close" and inside:
            out, inside = out + ")", False
        else:
            out += re.escape(found[0])
    return None if inside else out


def _members(text: str) -> str:
    listed = []
    while text:
        single = not (text[1:2] == "-" and text[0] <= text[2:3])
        listed.append(re.escape(text[0]) if single else f"[{re.escape(text[0])}-{re.escape(text[2])}]")
        text = text[1:] if single else text[3:]
    return "|".join(listed)


_PIECES = ["*", "**", "**/", "?", "[", "]", "[!", "[a-c]", "{", "}", ",", "/", ".", "-", "a", "b", "^", "!"]


@given(
    st.lists(st.sampled_from(_PIECES), max_size=8).map("".join),
    st.lists(st.text(st.sampled_from("ab/.-*[]{},!^"), max_size=8), min_size=1, max_size=8),
)
def test_it_fits_what_the_regular_expression_fits(pattern: str, paths: list[str]) -> None:
    glob, expression = compile_glob(pattern), as_expression(pattern)
    assert [glob.matches(path) for path in paths] == [expression.fullmatch(path) is not None for path in paths]


@pytest.mark.parametrize("piece", ["*a", "**a", "**/", "?*", "[!b]*", "{*,a*}", "**/*a"])
def test_the_number_of_stars_does_not_multiply_the_time(piece: str) -> None:
    with cpu_cost(time.process_time) as cost:
        assert not compile_glob(piece * 40 + "b").matches("a" * 10_000)
        assert not compile_glob(piece * 40 + "b").matches("a/" * 5_000)
    assert cost.seconds < 5.0


def test_a_path_of_more_characters_than_are_remembered_is_matched_as_well() -> None:
    path = "".join(map(chr, range(0x4E00, 0x4E00 + 10_000)))
    for _ in range(2):
        assert compile_glob("*.md").matches(path + ".md")
        assert not compile_glob("*.md").matches(path)
