"""Generates an idempotent inbox from a YAML spec: SQL, migrations, models, runtime, handlers and a classifier."""

__version__ = "0.1.0"
