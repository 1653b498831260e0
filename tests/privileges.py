"""Tests of what a user may not do, which root may: they run as somebody else for a moment."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

NOBODY = 65534


@contextmanager
def unprivileged(folder: Path) -> Iterator[None]:
    """Act as a user without rights who can reach `folder`; whoever is not root acts as himself."""
    if os.geteuid() != 0:
        yield
        return
    modes = {parent: parent.stat().st_mode for parent in folder.parents}
    for parent, mode in modes.items():
        if not mode & 0o001:
            parent.chmod(mode | 0o011)
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)
        for parent, mode in modes.items():
            if parent.stat().st_mode != mode:
                parent.chmod(mode)
