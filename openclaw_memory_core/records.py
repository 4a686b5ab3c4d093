"""Frozen records that cost a sixth of a frozen dataclass to define.

A program that answers one question spends more time on defining its classes than on the answer: :mod:`dataclasses`
compiles six methods for each class and describes its fields, 0.3 ms.  Here only ``__init__`` is compiled, the other
methods are shared, and the fields are described when somebody asks for them.  To everybody else these are dataclasses:
``fields``, ``replace``, ``asdict`` and type checkers treat them so.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, Field, FrozenInstanceError, dataclass, field, fields, replace
from operator import attrgetter
from typing import Any, NoReturn, TypeVar, cast, dataclass_transform

__all__ = ["record"]

_T = TypeVar("_T")


@dataclass_transform(frozen_default=True, eq_default=True, field_specifiers=(field,))
def record(cls: type[_T]) -> type[_T]:
    """Make *cls* what ``@dataclass(frozen=True, slots=True)`` makes of it.

    It can neither inherit from another record nor have keyword-only fields or class variables.
    """
    own = dict(vars(cls))
    names = tuple(own.get("__annotations__", ()))
    given = {name: own.pop(name) for name in names if name in own}
    hidden = {name for name, value in given.items() if isinstance(value, Field) and not value.compare}
    methods = _SHARED | {
        "__init__": _init(names, given, finish="__post_init__" in own),
        "_values": _getter(names),
        "_compared": _getter([name for name in names if name not in hidden]),
        "__slots__": names,
        "__match_args__": names,
        "__qualname__": cls.__qualname__,
        "__dataclass_fields__": _Fields(given),
    }
    # Slots need a class of their own; what the first one has for want of them does not go along.
    kept = {name: value for name, value in own.items() if name not in ("__dict__", "__weakref__")}
    made: Any = type(cls)
    return cast("type[_T]", made(cls.__name__, cls.__bases__, methods | kept))


class _Fields:
    """``__dataclass_fields__`` of a record, made when it is asked for."""

    def __init__(self, given: Mapping[str, Any]) -> None:
        self._given = given

    def __get__(self, _: object, cls: type) -> dict[str, Field[Any]]:
        described = {"__module__": cls.__module__, "__annotations__": cls.__annotations__, **self._given}
        model: Any = dataclass(init=False, repr=False, eq=False)(type(cls.__name__, (), described))
        found = {one.name: one for one in fields(model)}
        setattr(cls, "__dataclass_fields__", found)  # noqa: B010 - mypy knows no such attribute
        return found


def _getter(names: Sequence[str]) -> Callable[[Any], tuple[Any, ...]]:
    if len(names) > 1:
        return cast("Callable[[Any], tuple[Any, ...]]", staticmethod(attrgetter(*names)))
    return staticmethod(lambda self: tuple(getattr(self, name) for name in names))


def _init(names: Sequence[str], given: Mapping[str, Any], *, finish: bool) -> Any:
    parameters, body = ["self"], []
    scope: dict[str, Any] = {"_set": object.__setattr__, "_missing": MISSING}
    for name in names:
        value = name
        default: Any = given.get(name, MISSING)
        factory: Any = MISSING
        if isinstance(default, Field):
            default, factory = default.default, default.default_factory
        if default is not MISSING:
            scope[f"_default_{name}"] = default
            parameters.append(f"{name}=_default_{name}")
        elif factory is not MISSING:
            scope[f"_make_{name}"] = factory
            parameters.append(f"{name}=_missing")
            value = f"_make_{name}() if {name} is _missing else {name}"
        else:
            parameters.append(name)
        body.append(f" _set(self, {name!r}, {value})")
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


def _replace(self: Any, /, **changes: Any) -> Any:
    """For ``copy.replace()`` of Python 3.13."""
    return replace(self, **changes)


_SHARED: dict[str, Any] = {
    "__repr__": _repr,
    "__eq__": _eq,
    "__hash__": _hash,
    "__setattr__": _setattr,
    "__delattr__": _delattr,
    "__reduce__": _reduce,
    "__replace__": _replace,
}
