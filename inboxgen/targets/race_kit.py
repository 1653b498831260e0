"""The race kit: a test of the user's repository, in which two processes take one message."""

from __future__ import annotations

from inboxgen.model import FileKind, Inbox, KeyColumn, Kind, RenderedFile
from inboxgen.render import python_literal, render
from inboxgen.targets.package import shared_context

# A value of each type that is as unique as `message`, a random UUID.
_SAMPLES = {
    Kind.UUID: "message",
    Kind.STRING: "message.hex",
    Kind.ASCII: "message.hex",
    Kind.BYTES: "message.hex.encode()",
    Kind.BIGINT: "message.int >> 65",
    Kind.DIGEST: "message.hex",
}


def race_kit(inbox: Inbox) -> tuple[RenderedFile, ...]:
    """`tests/test_<package>.py`."""
    context = shared_context(inbox)
    source_folder = inbox.package.parent.as_posix()
    samples = [f"{column.field}={_sample(column)}" for column in inbox.key]
    if inbox.fallback:
        samples.append('coordinates=KafkaCoordinates(topic="race", partition=0, offset=0)')
    text = render(
        "race_kit.py.j2",
        **context,
        variable=f"{inbox.module.upper()}_TEST_URL",
        consumers=tuple(consumer.stored_name for consumer in inbox.consumers),
        create_engine="create_async_engine" if context["is_async"] else "sa.create_engine",
        sqlite_url="sqlite+aiosqlite" if context["is_async"] else "sqlite",
        source_folder="" if source_folder == "." else f" / {python_literal(source_folder)}",
        samples=samples,
    )
    return (RenderedFile(f"tests/test_{inbox.module}.py", text, FileKind.DERIVED),)


def _sample(column: KeyColumn) -> str:
    sample = _SAMPLES[column.type.kind]
    # A short text is cut, and made of the hex digits' end: the first ones of a UUID of version 7 are the time.
    return f"{sample}[-{column.type.length}:]" if 0 < column.type.length < 32 else sample
