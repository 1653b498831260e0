"""Each guard is taken out once, by its text, and what it guards against happens: so its test is able to fail."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from sqlalchemy.orm import sessionmaker

from tests.generated import ASYNC, SYNC, Change, generated
from tests.guards import (
    handlers,
    test_async,
    test_async_connections,
    test_commit_fails,
    test_engines,
    test_refused_claims,
    test_shared_connections,
    test_swallowed_errors,
    test_unusual_applications,
)
from tests.guards.awaited import Awaited
from tests.guards.delivery import PROCESSED, Counter, Ending, Handler, refused

Scenario = Callable[[Counter, Path], Ending]


def deliver(handler: Handler) -> Scenario:
    return lambda counter, _: counter.deliver(handler)


def autocommit(counter: Counter, _: Path) -> Ending:
    engine = test_engines.AUTOCOMMIT["of the engine"](counter.engine)
    return counter.deliver(handlers.fail_at_last, sessions=sessionmaker(engine))


def two_engines(counter: Counter, folder: Path) -> Ending:
    with test_engines.other_database(folder, counter) as other:
        return test_engines.bound_to_two(counter, other)


def replica(counter: Counter, folder: Path) -> Ending:
    with test_engines.other_database(folder, counter) as stale:
        sessions = test_engines.with_replica(counter, stale)
        counter.deliver(sessions=sessions)
        return counter.deliver(sessions=sessions)


def refused_claim(counter: Counter, _: Path, spoiler: str) -> Ending:
    return test_refused_claims.refused_claim(counter, spoiler)


def twice(counter: Counter, _: Path) -> Ending:
    counter.deliver()
    return counter.deliver()


def busy(counter: Counter, _: Path) -> Ending:
    try:
        return test_commit_fails.busy_at_commit(counter)[1]
    except Exception as error:  # what the first delivery left behind is refused by the next
        return Ending(type(error).__name__, 0, 0, error)


def own_marker(counter: Counter, _: Path) -> Ending:
    return counter.deliver(handlers.write_marker(counter))


def procedure(counter: Counter, _: Path) -> Ending:
    test_refused_claims.spoil(counter, ["CREATE PROCEDURE settle() COMMIT"])
    return counter.deliver(handlers.sending_raw("CALL settle()"))


def closed_beside(counter: Counter, _: Path) -> Ending:
    return test_shared_connections.close_beside(test_shared_connections.with_one_connection(counter))


def joined(counter: Counter, _: Path) -> Ending:
    return test_shared_connections.joined_to_a_transaction(counter)


def unseen_by_asyncpg(counter: Counter, _: Path) -> Ending:
    awaited = Awaited(counter, "postgresql+asyncpg")
    return awaited.run(test_async.swallow_unseen)[0]


def at_once(counter: Counter, _: Path) -> Ending:
    return test_async_connections.at_once(Awaited(counter, "sqlite+aiosqlite"))


def deadlock(counter: Counter, _: Path) -> Ending:
    return test_swallowed_errors.deadlocked(counter, in_savepoint=False)


def hidden_at_commit(counter: Counter, _: Path) -> Ending:
    return test_unusual_applications.hidden_at_commit(counter)


def working_after(counter: Counter, _: Path) -> Ending:
    return test_unusual_applications.working_after_the_commit(counter)


def two_phases(counter: Counter, _: Path) -> Ending:
    return counter.deliver(sessions=sessionmaker(counter.engine, twophase=True))


def given_back(counter: Counter, _: Path) -> Ending:
    return test_shared_connections.in_a_pool_of_one(counter, "close")


def nested(counter: Counter, _: Path) -> Ending:
    return test_shared_connections.nested_in_one_session(counter)


def begun(counter: Counter, _: Path) -> Ending:
    return test_shared_connections.begun_before(counter)


def shared(counter: Counter, _: Path) -> Ending:
    return test_shared_connections.commit_beside(test_shared_connections.with_one_connection(counter))


AWAITED = {unseen_by_asyncpg, at_once}
REFUSED = refused()
NO_REFUSAL = Change("guards", "if self.refusal:", "if False:")
NO_COMPARISON = Change("guards", "if self.connection.get_transaction() is not self.transaction:", "if False:")
NO_DRIVER = Change("guards", "            _check_driver(connection, driver)\n", "")
NO_COMMIT = Change("guards", '"commit", _on_commit', '"commit", lambda *_: None')
NO_BEGIN = Change("guards", '"after_begin", _on_begin', '"after_begin", lambda *_: None')
NO_SQL = Change("guards", 'noise.sub(" ", sql)', '""')
NO_NOISE = Change("guards", 'noise.sub(" ", sql)', "sql")
NO_FAILURE = Change("guards", "guard.failed |= ", "ignored = ")
NO_LATENESS = Change("guards", "guard.too_late.add(name)", "pass")
NO_AUTOCOMMIT = Change("guards", "if misfit := _misfit(*self._watched):", "if misfit := None:")
NO_PARDON = Change("guards", "is not StatementError", "is not None")
NO_INSPECTION = Change("guards", "guard.failed |= ", "guard.failed = True or ")
NO_AFTERWARDS = Change("guards", " and not guard.committed", "")
NO_RESET = Change("guards", "                driver.rollback()\n", "                pass\n")
NO_SHARING = Change("guards", "guard := _in_transaction_of(driver)", "guard := _GUARDS.get(id(connection))")
NO_OTHER = Change("guards", "if _in_transaction_of(driver):", "if False:")
NO_NESTING = Change("runtime", "if session.in_transaction():", "if False:")
NO_PHASES = Change("guards", "if session.twophase:", "if False:")
NO_SAVEPOINT = Change("guards", "RELEASE SAVEPOINT inbox_marker", "SELECT 1")
NO_READ_BACK = Change("runtime", "if is_marked(sessions, consumer, key):", "if True:")
NO_BIND = Change("runtime", "bind_arguments=dict(BIND)", "bind_arguments={'clause': FIND['sqlite']}")
NO_FULL_ROLLBACK = Change("runtime", "                        session.rollback()\n", "")
NO_LAST_LOOK = Change("runtime", "                        guard.check_commit()\n", "")
NO_COUNT = Change("statements", "preserve_rowcount=True", "preserve_rowcount=False")

COMMIT, ROLLBACK = handlers.COMMITS, handlers.ROLLBACKS
NEEDED: dict[str, tuple[str, tuple[Change, ...], Scenario, Ending]] = {
    "commit, swallowed": (
        "sqlite",
        (NO_REFUSAL,),
        deliver(COMMIT["session, swallowed"]),
        REFUSED,
    ),
    "commit of the session": ("sqlite", (NO_COMMIT, NO_LAST_LOOK), deliver(COMMIT["session"]), REFUSED),
    "commit of the connection": ("postgresql", (NO_COMMIT, NO_LAST_LOOK), deliver(COMMIT["connection"]), REFUSED),
    "commit on mariadb": ("mariadb", (NO_COMMIT, NO_LAST_LOOK), deliver(COMMIT["connection"]), REFUSED),
    "rollback": ("sqlite", (NO_COMPARISON, NO_LAST_LOOK), deliver(ROLLBACK["session"]), REFUSED),
    "rollback of the connection": ("sqlite", (NO_COMPARISON, NO_DRIVER), deliver(ROLLBACK["connection"]), REFUSED),
    "another transaction": (
        "sqlite",
        (NO_COMPARISON, NO_BEGIN),
        deliver(handlers.roll_back_and_apply),
        REFUSED,
    ),
    "statement on sqlite": ("sqlite", (NO_SQL,), deliver(handlers.sending("COMMIT")), REFUSED),
    "statement on postgresql": ("postgresql", (NO_SQL,), deliver(handlers.sending("COMMIT")), REFUSED),
    "statement on mariadb": ("mariadb", (NO_SQL,), deliver(handlers.sending("COMMIT")), REFUSED),
    "comment before it": ("postgresql", (NO_NOISE,), deliver(handlers.sending("/* fine */ COMMIT")), REFUSED),
    "word in a literal": ("sqlite", (NO_NOISE,), deliver(handlers.sending("SELECT '; COMMIT'")), PROCESSED),
    "definition on mariadb": ("mariadb", (NO_SQL,), deliver(handlers.sending("DROP TABLE IF EXISTS nothing")), REFUSED),
    "procedure on mariadb": ("mariadb", (NO_SAVEPOINT,), procedure, Ending("AtomicityError", 1, 1)),
    "swallowed error": ("sqlite", (NO_FAILURE,), deliver(handlers.swallow), REFUSED),
    "swallowed error on mariadb": ("mariadb", (NO_FAILURE,), deliver(handlers.swallow), REFUSED),
    "swallowed error on postgresql": (
        "postgresql",
        (NO_FAILURE, NO_DRIVER, NO_LAST_LOOK),
        deliver(handlers.swallow),
        REFUSED,
    ),
    "error that a listener of the commit hides": ("postgresql", (NO_LAST_LOOK,), hidden_at_commit, REFUSED),
    "swallowed flush": ("sqlite", (NO_FAILURE, NO_COMPARISON, NO_DRIVER), deliver(handlers.swallow_flush), REFUSED),
    "swallowed deadlock": ("mariadb", (NO_FAILURE, NO_SAVEPOINT), deadlock, REFUSED),
    "savepoint too late": ("sqlite", (NO_LATENESS,), deliver(handlers.swallow_before_a_savepoint), REFUSED),
    "error of the driver alone": ("postgresql", (NO_DRIVER,), deliver(handlers.swallow_unseen), REFUSED),
    "error before the server": ("sqlite", (NO_PARDON,), deliver(test_swallowed_errors.no_parameter), PROCESSED),
    "error that SQLAlchemy asks for": (
        "mariadb",
        (NO_INSPECTION,),
        deliver(test_swallowed_errors.missing_table),
        PROCESSED,
    ),
    "work after the commit": ("sqlite", (NO_AFTERWARDS,), working_after, PROCESSED),
    "marker of the handler's own": ("sqlite", (NO_FAILURE,), own_marker, REFUSED),
    "AUTOCOMMIT on sqlite": ("sqlite", (NO_AUTOCOMMIT,), autocommit, REFUSED),
    "AUTOCOMMIT on postgresql": ("postgresql", (NO_AUTOCOMMIT,), autocommit, REFUSED),
    "AUTOCOMMIT on mariadb": ("mariadb", (NO_AUTOCOMMIT,), autocommit, REFUSED),
    "connection given back": ("sqlite", (NO_RESET,), given_back, REFUSED),
    "connection given back on postgresql": ("postgresql", (NO_RESET,), given_back, REFUSED),
    "connection that is shared": ("sqlite", (NO_SHARING,), shared, refused("LookupError")),
    "close of a session beside": ("sqlite", (NO_SAVEPOINT,), closed_beside, REFUSED),
    "two at once on one connection": ("sqlite", (NO_SAVEPOINT,), at_once, REFUSED),
    "error of asyncpg alone": ("postgresql", (NO_DRIVER,), unseen_by_asyncpg, REFUSED),
    "transaction that is joined": ("postgresql", (NO_LAST_LOOK,), joined, REFUSED),
    "session with work of before": ("sqlite", (NO_NESTING,), begun, REFUSED),
    "session of another delivery": ("mariadb", (NO_NESTING, NO_OTHER), nested, REFUSED),
    "two phases": ("postgresql", (NO_PHASES,), two_phases, REFUSED),
    "two engines": ("postgresql", (NO_BEGIN,), two_engines, REFUSED),
    "stale replica": ("postgresql", (NO_BIND,), replica, Ending("DUPLICATE", 1, 1)),
    "read-back after a foreign index": (
        "postgresql",
        (NO_READ_BACK,),
        partial(refused_claim, spoiler="foreign unique index on postgresql"),
        test_refused_claims.REFUSED,
    ),
    "read-back after a trigger": (
        "sqlite",
        (NO_READ_BACK,),
        partial(refused_claim, spoiler="trigger that ignores"),
        test_refused_claims.REFUSED,
    ),
    "read-back on mariadb": (
        "mariadb",
        (NO_READ_BACK,),
        partial(refused_claim, spoiler="trigger that says it is our key"),
        test_refused_claims.REFUSED,
    ),
    "count that is preserved": ("postgresql", (NO_COUNT,), twice, Ending("DUPLICATE", 1, 1)),
    "rollback of a commit that failed": ("sqlite", (NO_FULL_ROLLBACK,), busy, PROCESSED),
}


@pytest.mark.parametrize("guard", NEEDED)
def test_without_it_the_bad_outcome_comes(guard: str, spoilt_on: Callable[..., Counter], tmp_path: Path) -> None:
    on, changes, scenario, good = NEEDED[guard]
    with_guard, without = tmp_path / "with", tmp_path / "without"
    with_guard.mkdir()
    without.mkdir()
    spec = ASYNC if scenario in AWAITED else SYNC
    assert scenario(spoilt_on(on, generated(spec)), with_guard) == good
    assert scenario(spoilt_on(on, generated(spec, changes=changes)), without) != good
