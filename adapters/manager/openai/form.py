"""The form in which a model must answer: as a JSON schema for the endpoint, and as what this machine accepts.

The endpoint is asked to hold the model to the schema; nothing here relies on it. Every id is looked up among those
that were offered.
"""

from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from kernel.vocabulary import NodeKind, RelationKind

KINDS: Final = (
    NodeKind.GOAL,
    NodeKind.IDEA,
    NodeKind.DECISION,
    NodeKind.CONSTRAINT,
    NodeKind.OPEN_QUESTION,
    NodeKind.TASK,
    NodeKind.ARTIFACT,
    NodeKind.EVIDENCE,
)
RELATIONS: Final = (
    RelationKind.REFINES,
    RelationKind.DEPENDS_ON,
    RelationKind.CONFLICTS_WITH,
    RelationKind.IMPLEMENTS,
)
PLACES_MAX: Final = 4
RELATIONS_MAX: Final = 4
DOUBTS_MAX: Final = 4
TITLE_MAX: Final = 300
SENTENCE_MAX: Final = 600
SCORE_MAX: Final = 1000

Sentence = Annotated[str, Field(min_length=1, max_length=SENTENCE_MAX)]
Kind = Literal["Goal", "Idea", "Decision", "Constraint", "OpenQuestion", "Task", "Artifact", "Evidence"]


class _Form(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, use_attribute_docstrings=True)


class FormPlace(_Form):
    """One place the model chose."""

    id: str
    score: int = Field(ge=0, le=SCORE_MAX)
    reason: Sentence


class FormRelation(_Form):
    """One relation the model read in the text."""

    kind: Literal["refines", "depends_on", "conflicts_with", "implements"]
    to_id: str
    reason: Sentence


class Form(_Form):
    """What a model answers. Places come best first; without any, there is a question."""

    kind: Kind
    kind_reason: Sentence
    alternative_kind: Kind | None
    title: str = Field(min_length=1, max_length=TITLE_MAX)
    places: tuple[FormPlace, ...] = Field(max_length=PLACES_MAX)
    relations: tuple[FormRelation, ...] = Field(max_length=RELATIONS_MAX)
    uncertainty: tuple[Sentence, ...] = Field(max_length=DOUBTS_MAX)
    duplicate_of: str | None
    question: Sentence | None


def schema(places: tuple[str, ...], others: tuple[str, ...]) -> dict[str, Any]:
    """Return the JSON schema of an answer that may choose only among the offered ids."""
    anywhere = {"type": "string", "enum": [*places, *others]}
    sentence = {"type": "string"}
    kinds = [kind.value for kind in KINDS]
    place = _object(id={"type": "string", "enum": list(places)}, score={"type": "integer"}, reason=sentence)
    relation = _object(
        kind={"type": "string", "enum": [kind.value for kind in RELATIONS]}, to_id=anywhere, reason=sentence
    )
    return _object(
        kind={"type": "string", "enum": kinds},
        kind_reason=sentence,
        alternative_kind=_or_null({"type": "string", "enum": kinds}),
        title=sentence,
        places={"type": "array", "items": place},
        relations={"type": "array", "items": relation},
        uncertainty={"type": "array", "items": sentence},
        duplicate_of=_or_null(anywhere),
        question=_or_null(sentence),
    )


def _object(**fields: object) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": fields,
        "required": list(fields),
        "additionalProperties": False,
    }


def _or_null(form: dict[str, Any]) -> dict[str, Any]:
    return {"anyOf": [form, {"type": "null"}]}
