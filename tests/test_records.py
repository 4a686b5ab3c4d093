"""Records are frozen dataclasses in everything but the price of their definition."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memory_core.records import record


@record
class Place:
    """A record of every kind of field."""

    path: str
    line: int = 1
    tags: tuple[str, ...] = ()
    notes: dict[str, int] = field(default_factory=dict, compare=False)
    secret: str = field(default="x", repr=False)

    @property
    def text(self) -> str:
        return f"{self.path}:{self.line}"


@dataclass(frozen=True, slots=True)
class Model:
    """The same as a dataclass."""

    path: str
    line: int = 1
    tags: tuple[str, ...] = ()
    notes: dict[str, int] = field(default_factory=dict, compare=False)
    secret: str = field(default="x", repr=False)


ARGUMENTS = st.fixed_dictionaries(
    {"path": st.sampled_from(["a", "b"])},
    optional={"line": st.integers(0, 2), "tags": st.just(("t",)), "notes": st.just({"n": 1}), "secret": st.just("y")},
)


@given(ARGUMENTS, ARGUMENTS)
def test_it_behaves_as_a_dataclass_does(one: dict[str, Any], other: dict[str, Any]) -> None:
    ours, theirs = Place(**one), Model(**one)

    assert repr(ours) == repr(theirs).replace("Model", "Place")
    assert dataclasses.asdict(ours) == dataclasses.asdict(theirs)
    assert (ours == Place(**other)) is (theirs == Model(**other))
    assert hash(ours) == hash(theirs)
    assert dataclasses.replace(ours, line=7) == Place(**{**one, "line": 7})
    assert pickle.loads(pickle.dumps(ours)) == copy.deepcopy(ours) == copy.copy(ours) == ours


def test_its_fields_are_described_as_those_of_a_dataclass() -> None:
    ours, theirs = dataclasses.fields(Place), dataclasses.fields(Model)

    assert [repr(one) for one in ours] == [repr(one) for one in theirs]
    assert dataclasses.is_dataclass(Place)
    assert dataclasses.is_dataclass(Place("a"))
    assert dataclasses.fields(Place("a")) == ours


def test_it_can_be_matched_and_replaced() -> None:
    match Place("a", 2):
        case Place(path, line):
            assert (path, line) == ("a", 2)
    assert Place("a").__replace__(line=3) == Place("a", 3)


def test_positions_defaults_and_properties() -> None:
    assert Place("a", 5).text == "a:5"
    assert Place("a").notes is not Place("a").notes
    with pytest.raises(TypeError):
        Place()  # type: ignore[call-arg]


def test_it_is_frozen_and_has_no_room_for_more() -> None:
    place = Place("a")
    with pytest.raises(dataclasses.FrozenInstanceError):
        place.line = 2  # type: ignore[misc]
    with pytest.raises(dataclasses.FrozenInstanceError):
        del place.line
    with pytest.raises(dataclasses.FrozenInstanceError):
        place.more = 1  # type: ignore[attr-defined]
    assert not hasattr(place, "__dict__")


def test_it_equals_nothing_of_another_class() -> None:
    assert Place("a") != Model("a")
    assert Place("a") != ("a", 1, (), "x")


def test_methods_of_the_class_itself_stay() -> None:
    @record
    class Own:
        number: int

        def __post_init__(self) -> None:
            object.__setattr__(self, "number", abs(self.number))

        def __repr__(self) -> str:
            return "own"

    assert repr(Own(-3)) == "own"
    assert Own(-3) == Own(3)
    assert hash(Own(3)) == hash((3,))
