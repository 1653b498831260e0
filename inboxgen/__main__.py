"""`python -m inboxgen`."""

from __future__ import annotations

from inboxgen.cli import main

main()
