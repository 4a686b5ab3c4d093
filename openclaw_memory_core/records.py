"""Frozen records that cost a third of a frozen dataclass to define.

A program that answers one question spends more time on defining its classes than on the answer: :mod:`dataclasses`
compiles six methods for each class, 0.3 ms.  Here only ``__init__`` is compiled and the other methods are shared.  To
everybody else these are dataclasses: ``fields``, ``replace``, ``asdict`` and type checkers treat them so.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, Field, FrozenInstanceError, dataclass, field, fields
from operator import attrgetter
from typing import Any, NoReturn, TypeVar, cast, dataclass_transform

__all__ = ["record"]

_T = TypeVar("_T")


@dataclass_transform(frozen_default=True, eq_default=True, field_specifiers=(field,))
def record(cls: type[_T]) -> type[_T]:
    """Make *cls* what ``@dataclass(frozen=True, slots=True)`` makes of it.

    It can neither inherit from another record nor have keyword-only fields.
    """
    own = frozenset(vars(cls))
    made = dataclass(init=False, repr=False, eq=False, slots=True)(cls)
    all_fields = fields(made)  # type: ignore[arg-type]
    methods = _SHARED | {
        "__init__": _init(all_fields, finish="__post_init__" in own),
        "_values": _getter(all_fields),
        "_compared": _getter([one for one in all_fields if one.compare]),
    }
    for name, method in methods.items():
        if name not in own:
            setattr(made, name, method)
    return made


def _getter(some: Any) -> Callable[[Any], tuple[Any, ...]]:
    names = [one.name for one in some]
    if len(names) > 1:
        return cast("Callable[[Any], tuple[Any, ...]]", staticmethod(attrgetter(*names)))
    return staticmethod(lambda self: tuple(getattr(self, name) for name in names))


def _init(all_fields: tuple[Field[Any], ...], *, finish: bool) -> Any:
    parameters, body = ["self"], []
    scope: dict[str, Any] = {"_set": object.__setattr__, "_missing": MISSING}
    for one in all_fields:
        value = one.name
        if one.default is not MISSING:
            scope[f"_default_{one.name}"] = one.default
            parameters.append(f"{one.name}=_default_{one.name}")
        elif one.default_factory is not MISSING:
            scope[f"_make_{one.name}"] = one.default_factory
            parameters.append(f"{one.name}=_missing")
            value = f"_make_{one.name}() if {one.name} is _missing else {one.name}"
        else:
            parameters.append(one.name)
        body.append(f" _set(self, {one.name!r}, {value})")
    if finish:
        body.append(" self.__post_init__()")
    exec(f"def __init__({', '.join(parameters)}):\n" + "\n".join(body or [" pass"]), scope)  # noqa: S102 - as dataclasses
    return scope["__init__"]


def _repr(self: Any) -> str:
    shown = ", ".join(f"{one.name}={getattr(self, one.name)!r}" for one in fields(self) if one.repr)
    return f"{type(self).__qualname__}({shown})"


def _eq(self: Any, other: Any) -> Any:
    if other.__class__ is not self.__class__:
        return NotImplemented
    return self._compared(self) == self._compared(other)


def _hash(self: Any) -> int:
    return hash(self._compared(self))


def _setattr(_self: Any, name: str, _value: object) -> NoReturn:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _delattr(_self: Any, name: str) -> NoReturn:
    raise FrozenInstanceError(f"cannot delete field {name!r}")


def _reduce(self: Any) -> tuple[type, tuple[Any, ...]]:
    return type(self), self._values(self)


_SHARED: dict[str, Any] = {
    "__repr__": _repr,
    "__eq__": _eq,
    "__hash__": _hash,
    "__setattr__": _setattr,
    "__delattr__": _delattr,
    "__reduce__": _reduce,
}
