from __future__ import annotations

from pathlib import Path

from inboxgen.apply import apply
from inboxgen.lock import HEADER
from inboxgen.tree import MISSING, Presence, Repository, find_locks
from tests.fake_product import rewrite
from tests.plan.conftest import Planner
from tests.privileges import unprivileged


def obstacle(root: Path, path: str) -> str:
    found = Repository(root).read(path)
    assert found.presence is Presence.BLOCKED
    return found.obstacle


def test_a_file_is_read_over_lf(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"one\r\ntwo\r\n")
    (tmp_path / "b").write_bytes(b"one\ntwo\r")
    found, plain = Repository(tmp_path).read("a"), Repository(tmp_path).read("b")
    assert (found.text, found.crlf) == ("one\ntwo\n", True)
    assert (plain.text, plain.crlf) == ("one\ntwo\r", False)


def test_missing_paths_and_folders(tmp_path: Path) -> None:
    assert Repository(tmp_path).read("a/b/c") == MISSING


def test_a_file_that_is_not_utf8_has_no_text(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"\xff\xfe")
    found = Repository(tmp_path).read("a")
    assert (found.presence, found.text) == (Presence.FILE, None)


def test_what_is_in_the_way(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").touch()
    (tmp_path / "link").symlink_to("file")
    (tmp_path / "dangling").symlink_to("nowhere")
    (tmp_path / "elsewhere").symlink_to("folder")
    assert obstacle(tmp_path, "folder") == "folder is a folder"
    assert obstacle(tmp_path, "file/a") == "file is a file, not a folder"
    assert obstacle(tmp_path, "link") == "link is a symbolic link"
    assert obstacle(tmp_path, "dangling") == "dangling is a symbolic link"
    assert obstacle(tmp_path, "elsewhere/a") == "elsewhere is a symbolic link"


def test_a_name_that_differs_by_case_alone(tmp_path: Path) -> None:
    (tmp_path / "Inbox").mkdir()
    (tmp_path / "Inbox" / "Models.py").touch()
    assert "Models.py differs" in obstacle(tmp_path, "Inbox/models.py")
    assert "Inbox differs" in obstacle(tmp_path, "inbox/models.py")


def test_a_path_may_leave_the_specs_folder(tmp_path: Path) -> None:
    (tmp_path / "specs").mkdir()
    (tmp_path / "versions").mkdir()
    (tmp_path / "versions" / "a.py").write_text("x\n")
    assert Repository(tmp_path / "specs").read("../versions/a.py").text == "x\n"
    assert "A.py" not in Repository(tmp_path / "specs").read("../versions/b.py").obstacle


def test_what_may_not_be_read_blocks(tmp_path: Path) -> None:
    (tmp_path / "a").touch(mode=0)
    with unprivileged(tmp_path / "a"):
        assert "cannot be read" in obstacle(tmp_path, "a")


def test_records_are_known_by_their_first_line(tmp_path: Path) -> None:
    for name in ("b/orders.lock", "a.lock", ".hidden/x.lock", "venv/y.lock", "node_modules/z.lock"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(HEADER + "\r\n")
    (tmp_path / "venv" / "pyvenv.cfg").touch()
    (tmp_path / "uv.lock").write_text("version = 1\n")
    assert find_locks(tmp_path, HEADER) == [tmp_path / "a.lock", tmp_path / "b" / "orders.lock"]


def test_crlf_files_are_equal_and_keep_their_line_ends_when_rewritten(project: Path, planned: Planner) -> None:
    apply(planned())
    for path in project.rglob("*"):
        if path.is_file():
            path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert not apply(planned())
    rewrite(project / "orders.yaml", consumers="credit")
    assert not planned().refused
    apply(planned())
    assert (project / "orders_inbox/__init__.py").read_bytes() == b"CONSUMERS = ['credit']\r\n"
    assert (project / "orders.lock").read_bytes().count(b"\r\n") > 3
    assert not planned().stale
