"""mariadb_mysql: an inbox, so that each message takes effect once however often it is delivered.

Generated from mariadb_mysql.yaml; handlers/ is yours, every other file is written again by each run.
"""

from .classifier import Verdict, classify
from .consumers import consume_everything
from .guards import AtomicityError
from .key import MessageKey
from .messages import Everything
from .models import Marker
from .runtime import Handled, Outcome, RefusedWithoutMarker

__all__ = [
    "AtomicityError",
    "Everything",
    "Handled",
    "Marker",
    "MessageKey",
    "Outcome",
    "RefusedWithoutMarker",
    "Verdict",
    "classify",
    "consume_everything",
]
