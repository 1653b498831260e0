"""The published JSON Schema: what the shape accepts, as far as JSON Schema can say it."""

from __future__ import annotations

from typing import Any

from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

from inboxgen.spec.shape import Spec


class _Generator(GenerateJsonSchema):
    """A key is either there with a value or not there: no nulls, and no defaults of null."""

    def nullable_schema(self, schema: core_schema.NullableSchema) -> JsonSchemaValue:
        return self.generate_inner(schema["schema"])

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> JsonSchemaValue:
        if schema.get("default", ...) is None:
            return self.generate_inner(schema["schema"])
        return super().default_schema(schema)

    def dict_schema(self, schema: core_schema.DictSchema) -> JsonSchemaValue:
        made = super().dict_schema(schema)
        # A pattern for the keys says nothing about keys that do not match it.
        return {**made, "additionalProperties": False} if "patternProperties" in made else made

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False


def json_schema() -> dict[str, Any]:
    """Draft 2020-12, for editors and for `inboxgen schema`."""
    schema = Spec.model_json_schema(schema_generator=_Generator)
    return {"$schema": _Generator.schema_dialect, **schema, "title": "inboxgen spec"}
