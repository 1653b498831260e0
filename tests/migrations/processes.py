"""Processes of their own for replicas, seeds and Alembic, forked from one that has the heavy imports done."""

from __future__ import annotations

import contextlib
import io
import multiprocessing
import os
import sys
import traceback
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

PATIENCE = 120  # seconds
READS = ("SELECT", "SHOW", "PRAGMA")
FORKED = multiprocessing.get_context("forkserver")
FORKED.set_forkserver_preload(["alembic.config", "alembic.autogenerate", "sqlalchemy.orm", "psycopg", "pymysql"])


class Child:
    """A process that runs `function` with its end of a pipe, and then `arguments`."""

    def __init__(self, function: Callable[..., Any], *arguments: Any) -> None:
        self.pipe, theirs = FORKED.Pipe()
        self._process = FORKED.Process(target=function, args=(theirs, *arguments), daemon=True)
        self._process.start()
        theirs.close()

    def hear(self, patience: float = PATIENCE) -> Any:
        """What the child sends next; raises TimeoutError after `patience` seconds, EOFError if it has ended."""
        if not self.pipe.poll(patience):
            raise TimeoutError
        return self.pipe.recv()

    def end(self) -> int | None:
        """Kill it if it is still there; returns its exit code."""
        self._process.kill()
        self._process.join()
        self.pipe.close()
        return self._process.exitcode


def call(function: Callable[..., Any], *arguments: Any) -> Any:
    """What `function` returns in a process of its own; raises RuntimeError with the traceback of what it raises."""
    child = Child(_answer, function, *arguments)
    try:
        done, answer = child.hear()
    finally:
        child.end()
    if not done:
        raise RuntimeError(answer)
    return answer


def _answer(pipe: Connection, function: Callable[..., Any], *arguments: Any) -> None:
    try:
        pipe.send((True, function(*arguments)))
    except Exception:
        pipe.send((False, traceback.format_exc()))


def alembic(folder: Path, url: str, *commands: str, dies_after: int | None = None) -> tuple[int, str]:
    """Run command lines of `alembic` in `folder` until one fails; returns exit code and output.

    With `dies_after` the process dies when that many statements have run that change something other than Alembic's
    own table; its exit code is -9 then.
    """
    child = start_alembic(folder, url, *commands, dies_after=dies_after)
    try:
        found: tuple[int, str] = child.hear()
        return found
    except EOFError:
        return -9, ""
    finally:
        child.end()


def start_alembic(folder: Path, url: str, *commands: str, dies_after: int | None = None) -> Child:
    """The same, in a process that sends exit code and output when it has come to its end."""
    return Child(_alembic, str(folder), url, commands, dies_after)


def _alembic(pipe: Connection, folder: str, url: str, commands: tuple[str, ...], dies_after: int | None) -> None:
    from alembic.config import main

    os.chdir(folder)
    sys.path.insert(0, folder)
    os.environ["DATABASE_URL"] = url
    if dies_after is not None:
        _die_after(dies_after)
    output, status = io.StringIO(), 0
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
        try:
            for command in commands:
                main(command.split())
        except SystemExit as end:
            status = end.code if isinstance(end.code, int) else 1
        except Exception:
            traceback.print_exc()
            status = 1
    pipe.send((status, output.getvalue()))


def _die_after(statements: int) -> None:
    from sqlalchemy import Engine, event

    left = [statements]

    @event.listens_for(Engine, "after_cursor_execute")
    def die(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        left[0] -= not statement.lstrip().startswith(READS) and "alembic_version" not in statement
        if not left[0]:
            os._exit(9)
