"""How long a message may come again, and how long a claim may last: sums over the broker's own settings."""

from __future__ import annotations

from datetime import timedelta

from inboxgen.model import Retention
from inboxgen.spec import shape
from inboxgen.spec.formats import duration, spell
from inboxgen.spec.report import Report

LONGEST = timedelta(days=36525)
"""100 years: the database's date arithmetic must not run out of its calendar."""

_TIMES = "\N{MULTIPLICATION SIGN}"
_WITHOUT_LOCK = ("kafka", "none")
_TERMS = ("time_to_live", "dead_letter_replay", "publisher_retry", "margin")


def retention(spec: shape.Spec, report: Report) -> Retention | None:
    """How long a marker is kept; None when neither the spec nor the broker says so."""
    derived = _derived(spec, report)
    window = derived.window if derived else timedelta()
    given = spec.retention
    broker = spec.broker
    if broker and broker.compacted and broker.kind == "kafka" and given is None and not report.lost("retention"):
        report.key(
            ("broker", "compacted"),
            "E318",
            "a compacted topic needs `retention`",
            "it keeps messages for ever, so nothing says when the last replay is over",
            "add `retention:` with the longest time after which a message may still be read again",
        )
    if max(duration(given) if given else window, window) > LONGEST:
        report.value(
            ("retention",) if given else ("broker",),
            "E328",
            "the retention is longer than 100 years",
            derived.arithmetic if derived and not given else "",
            "look for a wrong unit",
        )
        return None
    if given is None:
        return derived
    if derived is None:
        return Retention(duration(given), f"{given}, as the spec says")
    if duration(given) < derived.window:
        report.value(
            ("retention",),
            "E317",
            f"{given} is shorter than the time in which a message may come again",
            derived.arithmetic,
            f"give at least {spell(derived.window)}, or leave `retention` out",
        )
    return Retention(duration(given), f"{given}, and at least {derived.arithmetic}")


def _derived(spec: shape.Spec, report: Report) -> Retention | None:
    broker = spec.broker
    if broker is None or not any(getattr(broker, term) for term in _TERMS) or report.lost("broker"):
        return None
    if broker.compacted:
        return None
    locks = broker.kind not in _WITHOUT_LOCK
    lock_terms = ("lock_duration", "max_deliveries") if locks else ()
    needed = (*lock_terms, "time_to_live", "dead_letter_replay", "publisher_retry")
    missing = [term for term in needed if getattr(broker, term) is None]
    if missing:
        report.key(
            ("broker",),
            "E316",
            f"the retention cannot be derived without {', '.join(missing)}",
            "a window that leaves a term out is too short, and a message that comes after it is applied again",
            "add what is missing; `0d` says that it never happens",
        )
        return None
    assert broker.time_to_live and broker.dead_letter_replay and broker.publisher_retry
    margin = broker.margin or "1d"
    life, text = duration(broker.time_to_live), broker.time_to_live
    if locks:
        assert broker.lock_duration and broker.max_deliveries
        life += min(duration(broker.lock_duration), LONGEST) * broker.max_deliveries
        text = f"({broker.lock_duration} {_TIMES} {broker.max_deliveries} + {text})"
    rest = (broker.dead_letter_replay, broker.publisher_retry, margin)
    window = 2 * life + sum((duration(term) for term in rest), timedelta())
    return Retention(window, f"2 {_TIMES} {text} + {' + '.join(rest)} = {spell(window)}")


def check_leases(spec: shape.Spec, report: Report) -> None:
    """A lease ends well before the broker gives the message to somebody else."""
    if isinstance(spec.consumers, list):
        return
    lock = spec.broker.lock_duration if spec.broker else None
    for name, consumer in spec.consumers.items():
        loc = ("consumers", name, "lease")
        if consumer.lease is None:
            continue
        if lock is None:
            if not report.lost("broker") and not (spec.broker and spec.broker.kind == "none"):
                report.key(
                    loc,
                    "E320",
                    "a lease without the broker's `lock_duration`",
                    "the lease must end before the broker delivers the message again",
                    "add `lock_duration` to `broker`: the lock, visibility timeout, poll interval or ack wait",
                )
        elif 10 * duration(consumer.lease) > 8 * duration(lock):
            most = duration(lock) * 8 / 10
            report.value(
                loc,
                "E319",
                f"the lease of {consumer.lease} is longer than {spell(most)}",
                f"0.8 {_TIMES} {lock} = {spell(most)}: after the lock the broker delivers the message again",
                f"use at most {spell(most).replace(' ', ' + ')}, or a longer lock",
            )
        elif not duration(consumer.lease):
            report.value(loc, "E329", "the lease is zero", fix="give the time that the work takes at most")


def check_broker(spec: shape.Spec, report: Report) -> None:
    """Options that the broker does not have."""
    broker = spec.broker
    if broker and broker.compacted and broker.kind != "kafka":
        report.key(("broker", "compacted"), "E325", "only a Kafka topic can be compacted", fix="remove it")
    if broker and broker.lock_duration and not duration(broker.lock_duration):
        report.value(("broker", "lock_duration"), "E329", "a lock of no time", fix="give the broker's own setting")
