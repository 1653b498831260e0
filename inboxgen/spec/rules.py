"""From the spec's form to the inbox that it means; what has no meaning is reported, and the rest goes on."""

from __future__ import annotations

from inboxgen.model import Api, Dialect, Inbox, Naming, Uniqueness
from inboxgen.spec import consumers, delivery, keys, tables, target
from inboxgen.spec.report import Report
from inboxgen.spec.shape import Spec
from inboxgen.spec.unbuilt import refuse_unbuilt


def build(spec: Spec, report: Report, file_name: str) -> Inbox:
    """The inbox; it is whole only when `report` has no finding afterwards."""
    refuse_unbuilt(report)
    uniqueness = Uniqueness(spec.uniqueness)
    dialects = target.dialects(spec, report)
    types = keys.columns(spec, report)
    table, key = tables.table(spec, report, types, uniqueness)
    messages = consumers.messages(spec, report)
    delivery.check_broker(spec, report)
    delivery.check_leases(spec, report)
    if spec.mssql and Dialect.MSSQL not in dialects and not report.lost("dialects"):
        report.key(("mssql",), "E325", "`mssql` without mssql in `dialects`", fix="remove it, or add the dialect")
    return Inbox(
        name=spec.inbox,
        spec_path=file_name,
        dialects=dialects,
        drivers=target.drivers(spec, report, dialects),
        uniqueness=uniqueness,
        naming=Naming(spec.naming),
        api=Api(spec.api),
        key=key,
        consumer_type=keys.CONSUMER_TYPE,
        table=table,
        consumers=consumers.consumers(spec, report, messages),
        messages=tuple(messages.values()),
        package=target.package(spec, report),
        python=target.python(spec),
        migrations=target.migrations(spec, report),
        fallback=keys.fallback(spec, report, types),
        retention=delivery.retention(spec, report),
    )
