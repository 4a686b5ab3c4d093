"""Dates of notes: which day a file is of, which day it is, which days a session starts with."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable

_DATED = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})(?:-.+)?\.md", re.DOTALL)


def note_date(path: str) -> dt.date | None:
    """Day of ``memory/**/YYYY-MM-DD.md`` or ``YYYY-MM-DD-slug.md``; None for every other path and impossible dates."""
    if not path.startswith("memory/"):
        return None
    match = _DATED.fullmatch(path.rpartition("/")[2])
    if match is None:
        return None
    try:
        return dt.date.fromisoformat(match[1])
    except ValueError:
        return None


def daily_path(day: dt.date) -> str:
    """Path of the note of a day."""
    return f"memory/{day.isoformat()}.md"


def today(clock: Callable[[], dt.datetime], timezone: str | None) -> dt.date:
    """The calendar day in the user's time zone.

    :param clock: gives the current time as an aware datetime.
    :param timezone: IANA name; None or an unknown name means the host's zone.
    """
    return in_zone(clock(), timezone).date()


def in_zone(moment: dt.datetime, timezone: str | None) -> dt.datetime:
    """*moment* in the user's zone, in the host's where the zone is None or unknown."""
    if timezone:
        from zoneinfo import ZoneInfo

        try:
            return moment.astimezone(ZoneInfo(timezone))
        except (KeyError, ValueError, OSError):
            pass
    return moment.astimezone()


def session_days(day: dt.date, days: int = 2) -> tuple[dt.date, ...]:
    """*day* and the calendar days before it, newest first.  Days, not 24 hours: a clock change skips none."""
    return tuple(day - dt.timedelta(days=back) for back in range(max(days, 0)) if day.toordinal() > back)
