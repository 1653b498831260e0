"""SQL text → structure: tables with their columns and keys, and what a statement reads and writes.

The only user of sqlglot, which reads here and never writes: its own DDL of a unique index is another index.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import sqlglot
from sqlglot import TokenType, exp
from sqlglot.errors import ParseError, TokenError

from inboxgen.model import Dialect

_GRAMMARS = {
    Dialect.POSTGRESQL: "postgres",
    Dialect.MSSQL: "tsql",
    Dialect.SQLITE: "sqlite",
    Dialect.MYSQL: "mysql",
    Dialect.MARIADB: "mysql",
}
_READABLE = (exp.Create, exp.Drop, exp.Insert, exp.Select)
# What sqlglot has no expression for, and may pass as it stands.
_COMMANDS = re.compile(r"(?:RELEASE )?SAVEPOINT \w+")
_BATCH_END = re.compile(r"^GO$", re.MULTILINE)


class UnreadableSql(Exception):
    """A statement that is not understood as a whole; the text holds it."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column as declared: `type` by sqlglot's name, the same in every dialect; what is not named is empty."""

    name: str
    type: str
    nullable: bool
    collation: str = ""
    charset: str = ""
    identity: bool = False


@dataclass(frozen=True, slots=True)
class Key:
    """A primary key, UNIQUE constraint or unique index (`kind`: primary, constraint, index); `name` may be empty."""

    name: str
    kind: str
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """A table with its keys, wherever the script declares them; `engine` is MySQL's."""

    schema: str
    name: str
    columns: tuple[Column, ...]
    keys: tuple[Key, ...]
    engine: str = ""


@dataclass(frozen=True, slots=True)
class Shape:
    """What a statement does: `columns` are written or read, `parameters` and `compared` follow the statement's order.

    `modifiers` are the words that change what it means: ON CONFLICT, a lock, a table hint, RETURNING.
    """

    verb: str
    table: str
    columns: tuple[str, ...] = ()
    compared: tuple[str, ...] = ()
    parameters: tuple[str, ...] = ()
    modifiers: tuple[str, ...] = ()


def split(script: str, dialect: Dialect) -> tuple[str, ...]:
    """The statements of a script, without comments around them, terminators and batch separators.

    Raises UnreadableSql for a literal or comment that does not end.
    """
    text = _BATCH_END.sub("", script) if dialect is Dialect.MSSQL else script
    statements, first, last = [], -1, -1
    try:
        tokens = sqlglot.tokenize(text, read=_GRAMMARS[dialect])
    except TokenError as error:
        raise UnreadableSql(str(error)) from error
    for token in tokens:
        if token.token_type is TokenType.SEMICOLON:
            statements.append(text[first : last + 1])
            first = -1
            continue
        first, last = (token.start if first < 0 else first), token.end
    return (*statements, text[first : last + 1]) if first >= 0 else tuple(statements)


def parse(statement: str, dialect: Dialect) -> exp.Expression | None:
    """The tree of one statement, None for a command of the allow-list; raises UnreadableSql for what is neither."""
    if _COMMANDS.fullmatch(statement):
        return None
    try:
        trees = sqlglot.parse(statement, read=_GRAMMARS[dialect])
    except (ParseError, TokenError) as error:
        raise UnreadableSql(f"{statement}: {error}") from error
    match trees:
        case [exp.Expression() as tree] if isinstance(tree, _READABLE) and not tree.find(exp.Command):
            return tree
    raise UnreadableSql(statement)


def read_tables(script: str, dialect: Dialect) -> tuple[Table, ...]:
    """The tables that a script creates; raises UnreadableSql, and for an index on a table that it does not create."""
    tables: dict[tuple[str, str], Table] = {}
    for statement in split(script, dialect):
        tree = parse(statement, dialect)
        if not isinstance(tree, exp.Create):
            continue
        if tree.kind == "TABLE":
            table = _table(tree)
            tables[table.schema, table.name] = table
        else:
            place, key = _index(tree)
            if place not in tables:
                raise UnreadableSql(statement)
            known = tables[place]
            tables[place] = Table(known.schema, known.name, known.columns, (*known.keys, key), known.engine)
    return tuple(tables.values())


def read_shape(statement: str, dialect: Dialect) -> Shape:
    """What one INSERT, SELECT, DROP or command does; raises UnreadableSql."""
    tree = parse(statement, dialect)
    if tree is None:
        verb, _, name = statement.rpartition(" ")
        return Shape(verb, name)
    target = next(tree.find_all(exp.Table), None)
    if target is None:
        raise UnreadableSql(statement)
    where = tree.args.get("where")
    columns = tree.this.expressions if isinstance(tree, exp.Insert) else tree.expressions
    return Shape(
        verb=tree.key.upper(),
        table=".".join(part.name for part in target.parts),
        columns=tuple(column.name for column in columns),
        compared=tuple(column.name for column in where.find_all(exp.Column, bfs=False)) if where else (),
        parameters=tuple(str(parameter.this) for parameter in tree.find_all(exp.Placeholder, bfs=False)),
        modifiers=tuple(_modifiers(tree, dialect)),
    )


def _modifiers(tree: exp.Expression, dialect: Dialect) -> Iterator[str]:
    for node in tree.find_all(exp.OnConflict, exp.Lock, exp.WithTableHint, exp.Returning):
        yield " ".join(node.sql(dialect=_GRAMMARS[dialect]).split())
    if tree.args.get("ignore"):
        yield "IGNORE"


def _table(tree: exp.Create) -> Table:
    target: exp.Table = tree.this.this
    columns, keys = [], []
    for part in tree.this.expressions:
        if isinstance(part, exp.ColumnDef):
            columns.append(_column(part))
            if part.find(exp.PrimaryKeyColumnConstraint):
                keys.append(Key("", "primary", (part.name,)))
        else:
            keys.append(_constraint(part))
    engine = tree.find(exp.EngineProperty)
    return Table(target.db, target.name, tuple(columns), tuple(keys), engine.name if engine else "")


def _column(part: exp.ColumnDef) -> Column:
    not_null = part.find(exp.NotNullColumnConstraint)
    collation, charset = part.find(exp.CollateColumnConstraint), part.find(exp.CharacterSetColumnConstraint)
    declared: exp.DataType = part.args["kind"]
    serial = declared.this is exp.DataType.Type.BIGSERIAL
    return Column(
        name=part.name,
        type="BIGINT" if serial else _type(declared),
        nullable=not_null is None or bool(not_null.args.get("allow_null")),
        collation=collation.this.name if collation else "",
        charset=charset.name if charset else "",
        identity=serial or part.find(exp.AutoIncrementColumnConstraint) is not None,
    )


def _type(declared: exp.DataType) -> str:
    arguments = ", ".join(argument.sql() for argument in declared.expressions)
    return f"{declared.this.value}({arguments})" if arguments else str(declared.this.value)


def _constraint(part: exp.Expression) -> Key:
    match part:
        case exp.Constraint(expressions=[exp.PrimaryKey() as key]):
            return Key(part.name, "primary", _names(key.expressions))
        case exp.Constraint(expressions=[exp.UniqueColumnConstraint() as key]):
            return Key(part.name, "constraint", _names(key.this.expressions))
    raise UnreadableSql(part.sql())


def _index(tree: exp.Create) -> tuple[tuple[str, str], Key]:
    index: exp.Index = tree.this
    table: exp.Table = index.args["table"]
    parameters: exp.IndexParameters = index.args["params"]
    if not tree.args.get("unique") or parameters.args.get("where"):
        raise UnreadableSql(tree.sql())
    return (table.db, table.name), Key(index.name, "index", _names(parameters.args["columns"]))


def _names(columns: list[exp.Expression]) -> tuple[str, ...]:
    """The plain columns of a key; anything else in their place (an expression, a prefix, an order) is not one."""
    names = []
    for column in columns:
        plain = column.this if isinstance(column, exp.Ordered) and not column.args.get("desc") else column
        if not isinstance(plain, exp.Column | exp.Identifier):
            raise UnreadableSql(column.sql())
        names.append(plain.name)
    return tuple(names)
