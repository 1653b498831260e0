"""drivers: an inbox, so that each message takes effect once however often it is delivered.

Generated from drivers.yaml; handlers/ is yours, every other file is written again by each run.
"""

from .classifier import Verdict, classify
from .consumers import consume_credit, consume_email
from .guards import AtomicityError
from .key import MessageKey
from .models import Marker
from .runtime import Handled, Outcome, RefusedWithoutMarker

__all__ = [
    "AtomicityError",
    "Handled",
    "Marker",
    "MessageKey",
    "Outcome",
    "RefusedWithoutMarker",
    "Verdict",
    "classify",
    "consume_credit",
    "consume_email",
]
