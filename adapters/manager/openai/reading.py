"""Reads a model's exact answer: strictly, and only as a choice among what it was offered."""

import json
from typing import Final

from pydantic import ValidationError

from adapters.manager.local.titles import description_of, on_one_line
from adapters.manager.openai.dialects import dialect_of, text_in
from adapters.manager.openai.form import Form
from adapters.manager.openai.prompt import TEXT_MAX
from kernel.errors import InvalidError
from kernel.values.placement import (
    Place,
    PlacementAnswer,
    PlacementRequest,
    SentQuestion,
    SuggestedRelation,
)
from kernel.vocabulary import NodeKind, RelationKind

_SHOWN: Final = 80


def read_answer(request: PlacementRequest, exact: str) -> PlacementAnswer:
    """Return what an exact answer proposes; it can name nothing that was not offered.

    Raises: InvalidError when it was refused, cut off or filtered, has another form, or names something else.
    """
    sent = request.sent
    if sent is None:
        message = "nothing was sent, so there is nothing this could answer"
        raise InvalidError(message, code="answer_out_of_scope")
    form = _form(text_in(dialect_of(sent.endpoint), exact))
    _require_offered(form, sent)
    if not form.places and form.question is None:
        message = "the model neither chose a place nor asked a question"
        raise InvalidError(message, code="answer_malformed")
    title = on_one_line(form.title)
    return PlacementAnswer(
        kind=NodeKind(form.kind),
        title=title,
        description=description_of(request.text, title),
        places=tuple(
            Place(parent_id=place.id, score=place.score, reason=on_one_line(place.reason))
            for place in form.places
        ),
        relations=tuple(
            SuggestedRelation(kind=RelationKind(item.kind), to_id=item.to_id, reason=on_one_line(item.reason))
            for item in form.relations
        ),
        kind_reason=on_one_line(form.kind_reason),
        alternative_kind=_other(form),
        uncertainty=(*map(on_one_line, form.uncertainty), *_bounds(request, sent)),
        duplicate_of=form.duplicate_of,
        question=None if form.places or form.question is None else on_one_line(form.question),
    )


def _form(text: str) -> Form:
    try:
        return Form.model_validate_json(text)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        where = ".".join(str(part) for part in first["loc"]) or "the whole"
        message = f"the model's answer does not have the form it was asked for ({where}: {first['msg']})"
        raise InvalidError(message, code="answer_malformed") from error


def _require_offered(form: Form, sent: SentQuestion) -> None:
    """Refuse an id that was not offered, for each use that is made of one."""
    places = [place.id for place in form.places]
    named = [relation.to_id for relation in form.relations]
    if form.duplicate_of is not None:
        named.append(form.duplicate_of)
    offered = frozenset((*sent.places, *sent.others))
    strange = [item for item in places if item not in sent.places]
    strange += [item for item in named if item not in offered]
    if strange:
        message = f"the model named {json.dumps(strange[0])[:_SHOWN]}, which it was not offered"
        raise InvalidError(message, code="answer_out_of_scope")
    if len(set(places)) != len(places):
        message = "the model named one place twice"
        raise InvalidError(message, code="answer_malformed")


def _other(form: Form) -> NodeKind | None:
    if form.alternative_kind is None or form.alternative_kind == form.kind:
        return None
    return NodeKind(form.alternative_kind)


def _bounds(request: PlacementRequest, sent: SentQuestion) -> tuple[str, ...]:
    """Return what the model did not see, in sentences. Private nodes are not even counted here."""
    found: list[str] = []
    if len(request.text) > TEXT_MAX:
        found.append(f"The model read only the first {TEXT_MAX:,} characters.")
    if sent.withheld_beyond:
        seen = len(sent.places) + len(sent.others)
        total = seen + sent.withheld_beyond
        found.append(f"The model saw the {seen:,} likeliest of {total:,} shared entries of the project.")
    return tuple(found)
