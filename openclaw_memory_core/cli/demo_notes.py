"""The notes of the demo: a made-up person with a boat, a shop and a household."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Final

DAY: Final = dt.date(2026, 5, 5)
ZONE: Final = "Europe/Lisbon"

NOTES: Final[dict[str, str]] = {
    "MEMORY.md": """# Memory

- The gate of the boat shed opens with code 4417. <!-- importance: 8 -->
- Ferry trips: Rosa gets seasick, so book the upper deck, car 4.9 m. <!-- trigger: book the ferry, tickets -->
- Invoices go out on the 25th, net 14 days. <!-- trigger: invoice --> <!-- importance: 7 -->
- Decided on 2026-02-11: PostgreSQL for the shop, no more MySQL.
""",
    "USER.md": """# User

- Name: Marta. Writes Portuguese and German, prefers short answers.
""",
    "memory/2026-05-05.md": """# 2026-05-05

## Morning

- Dentist moved to Thursday, 10:40.
- Pickup of the new sail is confirmed for Friday.
""",
    "memory/2026-05-04.md": """# 2026-05-04

## Shop

- Ticket QX-4471 closed: the label printer needed a new driver.
- The search page answers in 90 ms again after the index was rebuilt.

## Boat

- The engine would not start because of a clogged fuel filter; changed it, spare one is in the tin.
""",
    "memory/2026-04-12-garden.md": """# 2026-04-12

- Planted three lemon trees behind the house; the soil there stays wet for days.
- Der Nachbar leiht uns am Wochenende die Motorsense.
""",
    "memory/2026-01-20.md": """# 2026-01-20

- The landlord agreed to lower the rent of the workshop to 640 euros from March.
- Ticket QX-4102 closed: wrong tax rate on gift vouchers.
""",
}


def write_notes(workspace: Path) -> None:
    """Write the demo's notes below *workspace*."""
    for name, text in NOTES.items():
        path = workspace / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
