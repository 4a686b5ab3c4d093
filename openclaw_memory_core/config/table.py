"""Tables of settings: what is known, read from a section of the configuration, checked key by key."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from openclaw_memory_core.config.context import Context, join, nearest
from openclaw_memory_core.errors import ConfigError
from openclaw_memory_core.records import record

if TYPE_CHECKING:
    from openclaw_memory_core.config.kinds import Kind

T = TypeVar("T")
_SLIP = 0.85
_LIKENESS = 0.6


class Setting(NamedTuple):
    """One setting.

    :param key: its key path inside the section.
    :param field: where its value goes in the dataclass of the section; empty if it is handled by itself.
    :param doc: what it does, in a sentence.
    :param default: text for the documentation where the dataclass does not hold the default.
    """

    key: str
    field: str
    kind: Kind
    doc: str
    default: str | None = None


class Found(NamedTuple):
    """A value that somebody configured, with the key path where it stands."""

    value: Any
    key_path: str


Layer = Mapping[str, Found]


@record
class Table:
    """The settings of one section.

    :param strict: prefixes whose unknown keys get a warning; elsewhere other programs have keys too, and only a key
        that looks like a slip of the pen is named.
    :param ignored: keys of other OpenClaw versions that have no effect here, with the reason.
    :param aliases: old names of settings.
    :param elsewhere: keys of the section that are read by other code.
    """

    settings: Sequence[Setting]
    strict: frozenset[str] = frozenset()
    ignored: Mapping[str, str] = field(default_factory=dict)
    aliases: Mapping[str, str] = field(default_factory=dict)
    elsewhere: frozenset[str] = frozenset()

    def read(self, section: Mapping[str, object], prefix: str, context: Context) -> dict[str, Found]:
        """Every setting of *section* that has a value; ``null`` counts as not set.

        A value of the wrong type or out of range is left out and noted in ``context.errors``.
        """
        found: dict[str, Found] = {}
        _Reader(self, prefix, context, found).walk(section, "")
        return found


class _Reader:
    """One pass over a section."""

    def __init__(self, table: Table, prefix: str, context: Context, found: dict[str, Found]) -> None:
        self._table = table
        self._prefix = prefix
        self._context = context
        self._found = found
        self._kinds = {setting.key: setting.kind for setting in table.settings}
        self._parents = {key[:i] for key in self._kinds for i, c in enumerate(key) if c == "."}

    def walk(self, section: Mapping[str, object], inner: str) -> None:
        for name, value in section.items():
            key = join(inner, name)
            key_path = join(self._prefix, key)
            if value is None or key in self._table.elsewhere:
                continue
            try:
                self._one(inner, name, value, key_path)
            except ConfigError as error:
                self._context.errors.append(error)

    def _one(self, inner: str, name: str, value: object, key_path: str) -> None:
        key = join(inner, name)
        if key in self._parents:
            self.walk(self._context.mapping(value, key_path), key)
        elif key in self._kinds:
            self._take(key, value, key_path)
        elif key in self._table.aliases:
            self._alias(key, value, key_path)
        else:
            self._unknown(inner, name, key_path)

    def _take(self, key: str, value: object, key_path: str) -> None:
        self._found[key] = Found(self._kinds[key].parse(value, key_path, self._context), key_path)

    def _alias(self, key: str, value: object, key_path: str) -> None:
        current = self._table.aliases[key]
        self._context.warn(key_path, f"is an old name; write {join(self._prefix, current)}")
        parsed = Found(self._kinds[current].parse(value, key_path, self._context), key_path)
        self._found.setdefault(current, parsed)

    def _unknown(self, inner: str, name: str, key_path: str) -> None:
        reason = self._table.ignored.get(join(inner, name))
        if reason is not None:
            self._context.warn(key_path, f"is ignored: {reason}")
            return
        strict = inner in self._table.strict
        suggestion = self._suggest(inner, name, strict=strict)
        if suggestion is not None:
            self._context.warn(key_path, f'is not a known key and is ignored; did you mean "{suggestion}"?')
        elif strict:
            self._context.warn(key_path, "is not a known key and is ignored")

    def _suggest(self, inner: str, name: str, *, strict: bool) -> str | None:
        known = sorted({*self._kinds, *self._parents}, key=len)
        start = f"{inner}." if inner else ""
        keys = (*known, *self._table.elsewhere)
        siblings = {key.removeprefix(start).split(".")[0] for key in keys if key.startswith(start)}
        slip = nearest(name, siblings, _SLIP)
        if slip is not None or not strict:
            return slip
        right_name_elsewhere = (key for key in known if key.rpartition(".")[2].lower() == name.lower())
        return next(right_name_elsewhere, None) or nearest(name, siblings, _LIKENESS)


def first(layers: Sequence[Layer], key: str) -> Found | None:
    """The value of *key* in the first layer that has it.

    The value itself is None where an empty string asks for the built-in default.
    """
    return next((layer[key] for layer in layers if key in layer), None)


def fill(base: T, values: Mapping[str, object]) -> T:
    """A copy of the dataclass *base* with values put at dotted field paths."""
    own = {name: value for name, value in values.items() if "." not in name}
    nested: dict[str, dict[str, object]] = {}
    for name, value in values.items():
        head, dot, rest = name.partition(".")
        if dot:
            nested.setdefault(head, {})[rest] = value
    own.update({head: fill(getattr(base, head), rest) for head, rest in nested.items()})
    return replace(base, **own) if own else base  # type: ignore[type-var]
