"""orders: an inbox, so that each message takes effect once however often it is delivered.

Generated from orders.yaml; handlers/ is yours, every other file is written again by each run.
"""

from .classifier import Verdict, classify
from .consumers import consume_credit, consume_email, consume_erp_sync
from .guards import AtomicityError
from .key import MessageKey
from .messages import CreditRequested, OrderPlaced
from .models import Marker
from .runtime import Handled, Outcome, RefusedWithoutMarker

__all__ = [
    "AtomicityError",
    "CreditRequested",
    "Handled",
    "Marker",
    "MessageKey",
    "OrderPlaced",
    "Outcome",
    "RefusedWithoutMarker",
    "Verdict",
    "classify",
    "consume_credit",
    "consume_email",
    "consume_erp_sync",
]
