"""Two instances of a service are delivered one message at the same moment: first without an inbox, then with one.

Everything happens in a temporary folder, on SQLite: `inboxgen new`, `alembic upgrade head`, a handler, two processes.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import uuid
from pathlib import Path

from sqlalchemy import create_engine, text

HERE = Path(__file__).parent
INSTANCES = 2


def main() -> int:
    """Return 0 if the inbox let the message through once."""
    with tempfile.TemporaryDirectory(prefix="orders-service-") as folder:
        repository = Path(folder)
        environment = os.environ | {"DATABASE_URL": f"sqlite:///{repository / 'orders.db'}", "PYTHONPATH": folder}
        build(repository, environment)
        naive = race("no inbox", repository, environment)
        credited = race("inbox", repository, environment)
    print(f"without an inbox: credits applied = {naive}")
    print(f"with the inbox: credits applied = {credited}")
    return 0 if credited == 1 else 1


def build(repository: Path, environment: dict[str, str]) -> None:
    """What a user does: write the spec, generate, migrate, fill in the handler."""
    shutil.copy(HERE / "orders.yaml", repository)
    quietly("inboxgen", "new", "orders.yaml", "--init-alembic", cwd=repository, env=environment)
    quietly("alembic", "upgrade", "head", cwd=repository, env=environment)
    shutil.copy(HERE / "credit.py", repository / "orders_inbox" / "handlers")
    for name in ("ready", "done"):
        (repository / name).mkdir()
    with create_engine(environment["DATABASE_URL"]).begin() as connection:
        connection.execute(text("CREATE TABLE account (id CHAR(32) PRIMARY KEY, cents INTEGER NOT NULL)"))


def race(way: str, repository: Path, environment: dict[str, str]) -> int:
    """Deliver one credit of 1 cent to every instance at once; return how many of them reached the account."""
    account = uuid.uuid4()
    engine = create_engine(environment["DATABASE_URL"])
    with engine.begin() as connection:
        connection.execute(text("INSERT INTO account VALUES (:id, 0)"), {"id": account.hex})
    delivery = json.dumps({"message_id": str(uuid.uuid4()), "account_id": str(account), "cents": 1})
    print(f"{INSTANCES} instances, one message, {way}:", flush=True)
    processes = [
        subprocess.Popen(
            [sys.executable, HERE / "instance.py", way, str(number), str(INSTANCES), delivery],
            cwd=repository,
            env=environment,
        )
        for number in range(1, INSTANCES + 1)
    ]
    failed = [process.args for process in processes if process.wait()]
    if failed:
        raise SystemExit(f"an instance failed: {failed}")
    with engine.connect() as connection:
        balance = text("SELECT cents FROM account WHERE id = :id")
        return int(connection.execute(balance, {"id": account.hex}).scalar_one())


def quietly(module: str, *arguments: str, cwd: Path, env: dict[str, str]) -> None:
    """Run a Python tool, and show what it says only if it fails."""
    done = subprocess.run([sys.executable, "-m", module, *arguments], cwd=cwd, env=env, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(done.stdout + done.stderr)


if __name__ == "__main__":
    sys.exit(main())
