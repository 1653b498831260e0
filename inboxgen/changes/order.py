"""Who goes first, the migration or the code, and what old replicas do meanwhile: the words of every revision."""

from __future__ import annotations

TAKE_OVER = """\
Migrate first: the table that exists becomes the inbox. It keeps its rows and gets the dedup key; nothing else of it \
is altered. It stops where the table is not what the spec says, and where two rows are one message.

Whoever writes to it already goes on, and is refused by the database when a key is written twice.

Its downgrade leaves table and key as they are.
"""

SWAP = """\
Migrate first. The new unique key is there before the old one goes; there is no moment without one.

Old replicas notice nothing: a claim that either key refuses is looked up by its marker.
"""

ADD_KEY_COLUMN = """\
Migrate first, then deploy the code; `inboxgen new ... --settled` writes the end of it, once no old replica is left \
and no marker of theirs is younger than the retention.

Old replicas go on: the database fills the column in for them. Until the end the old key governs beside the new one: a \
message that differs from a marker in the new column alone is raised (RefusedWithoutMarker), never acknowledged and \
never applied twice. Such messages end in the dead letters; replay them after the end.

Its downgrade forgets the column's values: stop the new replicas first.
"""

SETTLE_KEY_COLUMN = """\
When no old replica is left: it drops the old dedup key, and from here on the new one alone governs. It stops while \
markers with the backfilled value are younger than the retention, and says from which date it can run.

An old replica that still runs fails at every message and acknowledges none. To go on before that date: \
`alembic -x settle_inbox=<table> upgrade ...`.

Its downgrade stops where two markers would be one under the old key.
"""

REMOVE_KEY_COLUMN = """\
Migrate first, then deploy the code; `inboxgen new ... --settled` drops old key and column once no old replica is \
left. It stops where two markers would be one under the new key.

Old replicas go on. From here on the new key governs: a message that differs from a marker in the removed column alone \
is raised by old replicas, never acknowledged, and a duplicate to new ones.
"""

DROP_KEY_COLUMN = """\
When no old replica is left: it drops the old dedup key and its column, with what the column holds.

An old replica that still runs fails at every message and acknowledges none. Its downgrade brings the column back \
without its values.
"""

WIDEN = """\
Migrate first: new replicas store keys that did not fit before.

Old replicas go on, and refuse the keys that do not fit them as they did; such messages wait for a new replica.

Its downgrade stops where a key would not fit any more.
"""

NARROW = """\
Code first: new replicas refuse the keys that no longer fit. Migrate when no old replica is left. It stops where a \
stored key does not fit.

An old replica that still runs is refused by the database when it stores such a key, and acknowledges no such message.
"""

RENAME_TABLE = """\
Migrate first, then deploy the code; `inboxgen new ... --settled` drops the old name once no old replica is left.

Old replicas go on under the old name: a view on PostgreSQL, MySQL and MariaDB, a synonym on SQL Server. On MySQL and \
MariaDB they fail for the moment between rename and view, and redelivery brings those messages back. On SQLite stop \
old replicas first: they find no table, and acknowledge nothing.
"""

OTHER_SCHEMA = """
The schema has to be there, and `alembic check` looks into it only with `include_schemas=True` in env.py.
"""

OTHER_COLUMNS = """
The old name is a view there, on SQL Server too, and shows the columns under their old names.
"""

RENAME_COLUMNS = """\
Two releases. Migrate first, then deploy the code; `inboxgen new ... --settled` writes the second one, once no old \
replica is left.

Under one name of the table, old and new replicas would write to different columns. So the table is called {aside} \
until the second release, and {name} is a view that shows the columns under their old names: old replicas go on with \
it. On MySQL and MariaDB they fail for the moment between rename and view, and redelivery brings those messages back. \
On SQLite stop old replicas first: they find no table, and acknowledge nothing.
"""

RETURN_TABLE = """\
When no replica is left that knows the columns' old names: migrate first, then deploy the code, the second release. \
`inboxgen new ... --settled` drops the name {aside} once no replica of the first release is left.

The table is called {name} again, and {aside} is a view of it (on SQL Server a synonym): replicas of the first release \
go on with it. On MySQL and MariaDB they fail for a moment, and redelivery brings those messages back. On SQLite stop \
them first.

A replica from before the first release that still runs does not find its columns, and acknowledges nothing.
"""

DROP_OLD_NAME = """\
When no old replica is left: it drops the table's old name.

An old replica that still runs finds no table, and acknowledges nothing.
"""

ADD_DIALECT = """\
Migrate first: it creates the inbox on {titles}, where nothing uses it yet, and does nothing elsewhere.

Old replicas notice nothing.
"""
