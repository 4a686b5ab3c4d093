"""OpenClaw's memory slot served by Python: a thin plugin folder for OpenClaw, and the program that it talks to.

``bridge install`` writes the folder and tells OpenClaw of it, ``bridge serve`` answers the plugin on stdin and stdout,
and ``bridge check`` finds out who answers.
"""

from __future__ import annotations
