from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from inboxgen.cli.output import has_color
from inboxgen.report import Exit
from tests.cli.conftest import Run

COMMAND = [sys.executable, "-m", "inboxgen"]


def test_help_lists_every_verb_and_imports_nothing_heavy(inboxgen: Run) -> None:
    program = (
        "import sys; from inboxgen.cli import run; run(['--help']); "
        "print([each for each in ('sqlalchemy', 'jinja2', 'black', 'sqlglot', 'pydantic', 'yaml', 'alembic', "
        "'inboxgen.plan', 'inboxgen.spec', 'inboxgen.cli.new') if each in sys.modules])"
    )
    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert answer.stdout.splitlines()[-1] == "[]"
    for verb in ("init", "new", "regenerate", "diff", "check", "schema", "explain"):
        assert f"\n  {verb} " in answer.stdout
        assert inboxgen(verb, "--help").code == 0


def test_version(inboxgen: Run) -> None:
    answer = inboxgen("--version")
    assert answer.code == 0
    assert answer.out.startswith("inboxgen ")


@pytest.mark.parametrize("arguments", [["nwe", "x"], ["new"], ["new", "--frce", "x"], ["check", "--format", "xml"]])
def test_wrong_usage_is_2(inboxgen: Run, arguments: list[str]) -> None:
    answer = inboxgen(*arguments)
    assert (answer.code, answer.out) == (2, "")
    assert "Error: " in answer.err


def test_a_mistyped_verb_or_option_is_guessed(inboxgen: Run) -> None:
    assert "Did you mean 'regenerate'?" in inboxgen("regenrate").err
    assert "--force" in inboxgen("new", "--frce", "x").err


def test_a_bug_of_ours_is_70_and_says_where_the_traceback_is(
    project: Path, inboxgen: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(project))
    monkeypatch.setattr("inboxgen.spec.load", lambda path: 1 / 0)
    answer = inboxgen("new", "orders.yaml")
    assert answer.code == 70
    assert "bug of inboxgen" in answer.err
    assert "Traceback" not in answer.err
    (written,) = project.glob("inboxgen-*.txt")
    assert str(written) in answer.err
    assert "ZeroDivisionError" in written.read_text()


def test_an_interrupt_is_130(project: Path, inboxgen: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(path: Path) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("inboxgen.spec.load", interrupt)
    answer = inboxgen("new", "orders.yaml")
    assert (answer.code, answer.out) == (130, "")
    assert "Traceback" not in answer.err


@pytest.mark.parametrize("arguments", [["schema"], ["--help"]])
def test_a_reader_that_leaves_is_no_error(arguments: list[str]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    process = subprocess.run([*COMMAND, *arguments], stdout=writer, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writer)
    assert (process.returncode, process.stderr) == (Exit.BROKEN_PIPE, "")


def test_completion_offers_verbs_and_options() -> None:
    def complete(words: str, position: int) -> list[str]:
        environment = os.environ | {
            "_INBOXGEN_COMPLETE": "bash_complete",
            "COMP_WORDS": words,
            "COMP_CWORD": str(position),
        }
        answer = subprocess.run(COMMAND, env=environment, capture_output=True, text=True, check=False)
        return answer.stdout.split()

    assert complete("inboxgen re", 1) == ["plain,regenerate"]
    assert "plain,--init-alembic" in complete("inboxgen new --i", 2)
    assert complete("inboxgen new or", 2) == ["file,or"]
    assert "plain,R404" in complete("inboxgen explain r4", 2)


@pytest.mark.parametrize(("variable", "value"), [("NO_COLOR", "1"), ("TERM", "dumb")])
def test_colour_needs_a_terminal_and_no_objection(monkeypatch: pytest.MonkeyPatch, variable: str, value: str) -> None:
    main, terminal = pty.openpty()
    with os.fdopen(terminal, "w") as stream:
        monkeypatch.setattr(sys, "stdout", stream)
        monkeypatch.setenv("TERM", "xterm")
        monkeypatch.delenv("NO_COLOR", raising=False)
        assert has_color()
        monkeypatch.setenv(variable, value)
        assert not has_color()
    os.close(main)


def test_init_writes_a_spec_that_is_never_overwritten(
    tmp_path: Path, inboxgen: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    answer = inboxgen("init", "payments.yaml")
    assert (answer.code, answer.out) == (0, "create payments.yaml\n")
    assert "inboxgen new payments.yaml" in answer.err
    (tmp_path / "payments.yaml").write_text("mine\n")
    answer = inboxgen("init", "payments.yaml")
    assert (answer.code, answer.out) == (3, "")
    assert (tmp_path / "payments.yaml").read_text() == "mine\n"
    assert inboxgen("init", "no/folder.yaml").code == 3


@pytest.mark.parametrize("name", ["payments.yaml", "my-orders.yaml", "7.yaml", "über.yaml"])
def test_the_starter_is_a_spec(tmp_path: Path, inboxgen: Run, name: str) -> None:
    from inboxgen.spec import load

    assert inboxgen("init", str(tmp_path / name)).code == 0
    inbox = load(tmp_path / name)
    assert [str(each) for each in inbox.dialects] == ["postgresql", "sqlite"]


def test_what_the_starter_comments_out_is_a_spec_too(tmp_path: Path, inboxgen: Run) -> None:
    from inboxgen.spec import load

    path = tmp_path / "orders.yaml"
    inboxgen("init", str(path))
    lines = [line for line in path.read_text().splitlines() if not line.startswith("consumers: [")]
    keys = ("key", "messages", "consumers", "api", "package", "table", "migrations", " ")
    path.write_text("".join(f"{_uncommented(line, keys)}\n" for line in lines))
    inbox = load(path)
    assert inbox.consumers[0].handles is not None
    assert not inbox.migrations.enabled


def _uncommented(line: str, keys: tuple[str, ...]) -> str:
    rest = line.removeprefix("# ")
    return rest if line.startswith("# ") and rest.startswith(keys) and ":" in rest else line


def test_the_schema_is_json(inboxgen: Run) -> None:
    import json

    assert json.loads(inboxgen("schema").out)["title"]


def test_every_code_about_the_repository_is_explained(inboxgen: Run) -> None:
    from inboxgen.refusals import CODES

    for code in (*CODES, "R401", "R402", "R413"):
        assert inboxgen("explain", code).out.startswith(f"# {code}: ")
    assert inboxgen("explain", "r404").code == 0


def test_an_unknown_code_is_guessed(inboxgen: Run) -> None:
    answer = inboxgen("explain", "R4O4")
    assert answer.code == 2
    assert "Did you mean R414, R404?" in answer.err
