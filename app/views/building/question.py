"""Builds an open question, and kept words whose placement came to nothing."""

from typing import Final

from app.views.inbox.parts import AgainForm, Answered, AnswerForm, Question
from app.views.moments import moment
from app.views.opening import Opened
from app.views.parts import Fact, Link, Option, Quote
from app.views.wording import Reading, capital, quote, short_id, speaker
from kernel.decide.source import thread_of
from kernel.errors import NotFoundError
from kernel.projections.acts import Act, acts_for
from kernel.state import ClarificationRecord, ExchangeRecord, SourceRecord
from kernel.vocabulary import Visibility

PLACES_MAX: Final = 5
"""How many places are offered as an answer, beside one's own words and the project itself."""
_OWN_WORDS: Final = Option("", "I say it in my own words", is_chosen=True)


def question(reading: Reading, opened: Opened) -> Question:
    """Return the question of an exchange, or its words that were never placed.

    Raises: NotFoundError when the exchange is no placement.
    """
    exchange = reading.state.exchanges[opened.id]
    source = reading.state.sources.get(exchange.body.source_id or "")
    if source is None:
        message = f"nothing in the Inbox is called {opened.id}"
        raise NotFoundError(message)
    asked = reading.state.clarifications.get(opened.id)
    acts = acts_for(reading.state, opened.id, reading.role, reading.at)
    if asked is None:
        return _unplaced(reading, opened, exchange, source=source, may_ask=Act.ASK_AGAIN in acts)
    return _asked(reading, opened, asked, source=source, may_answer=Act.ANSWER in acts)


def _asked(
    reading: Reading, opened: Opened, asked: ClarificationRecord, *, source: SourceRecord, may_answer: bool
) -> Question:
    given = reading.state.sources.get(asked.answer_source_id or "")
    first = reading.state.sources[thread_of(reading.state, source.body.source_id)[0]]
    href = f"{reading.base}/inbox/{opened.id}"
    return Question(
        title=asked.body.question.or_erased(),
        asked=f"{capital(speaker(asked.origin.actor, reading.names))} asks",
        when=moment(asked.origin.at),
        quote=_words(reading, opened, first, href),
        why=("Nothing in this project fits these words well enough to suggest a place.",),
        record=_record(opened, source),
        answer=_answer_form(reading, opened, href) if may_answer else None,
        answered=None if given is None else _answered(reading, given),
        way=None if given is None else _way(reading, given.body.source_id),
        refusal=opened.refusal,
    )


def answers(reading: Reading, source_ids: tuple[str, ...]) -> tuple[Answered, ...]:
    """Return what people answered about the first of these captures, with what was asked each time."""
    if len(source_ids) < 2:  # noqa: PLR2004 - the words, and at least one answer
        return ()
    asked = {
        record.answer_source_id: record.body.question.or_erased()
        for record in reading.state.clarifications.rows()
    }
    given = (reading.state.sources.get(item) for item in source_ids if item in asked)
    return tuple(
        _answered(reading, source, asked[source.body.source_id]) for source in given if source is not None
    )


def _answered(reading: Reading, source: SourceRecord, question: str = "") -> Answered:
    title = "Your answer" if source.origin.actor.id == reading.me else "The answer"
    return Answered(title, question, quote(source, reading.names, verb="answered", base=reading.base))


def _way(reading: Reading, answer_id: str) -> Link | None:
    """Return the way to what came of an answer: the suggestion, or the attempt to make one."""
    came = reading.state.followed_by.get(answer_id) or ()
    found = next((item for item in reversed(came) if item in reading.state.deltas), None)
    if found is not None:
        return Link("Go to the suggestion", f"{reading.base}/inbox/{found}", "arrow-right")
    tried = next((item for item in reversed(came) if item in reading.state.exchanges), None)
    return (
        None if tried is None else Link("See what came of it", f"{reading.base}/inbox/{tried}", "arrow-right")
    )


def _words(reading: Reading, opened: Opened, source: SourceRecord, href: str) -> Quote:
    whole = None if opened.has_whole_words else f"{href}?words=all"
    return quote(source, reading.names, whole=whole, base=reading.base)


def _record(opened: Opened, source: SourceRecord) -> tuple[Fact, ...]:
    return (
        Fact("Question", "", short_id(opened.id)),
        Fact("Source", "Kept word for word,", short_id(source.body.source_id)),
    )


def _answer_form(reading: Reading, opened: Opened, href: str) -> AnswerForm:
    chosen = opened.text("parent_id", "")
    tables = reading.state.tables
    root = tables.nodes[reading.state.root_id]
    tops = [
        tables.nodes[item]
        for item in tables.children.get(reading.state.root_id) or ()
        if tables.nodes[item].visibility is Visibility.SHARED
    ][:PLACES_MAX]
    named = [(node.id, node.title.or_erased()) for node in tops]
    named.append((root.id, f"Directly under {root.title.or_erased()}"))
    places = tuple(Option(item, title, is_chosen=item == chosen) for item, title in named)
    own = Option("", _OWN_WORDS.text, is_chosen=all(not place.is_chosen for place in places))
    return AnswerForm(
        action=f"{href}/answer",
        binding=opened.binding(),
        says="Your answer is kept beside the words, and they are placed again.",
        text=opened.text("text", ""),
        places=(own, *places),
    )


def _unplaced(
    reading: Reading, opened: Opened, exchange: ExchangeRecord, *, source: SourceRecord, may_ask: bool
) -> Question:
    href = f"{reading.base}/inbox/{opened.id}"
    return Question(
        title="Where does this fit?",
        asked="Kept, but not placed",
        when=moment(exchange.origin.at),
        quote=_words(reading, opened, source, href),
        why=(_what_happened(exchange),),
        why_title="What happened",
        sort="Not placed yet",
        record=_record(opened, source),
        again=_again(reading, opened, href, source=source) if may_ask else None,
        refusal=opened.refusal,
    )


def _again(reading: Reading, opened: Opened, href: str, *, source: SourceRecord) -> AgainForm:
    """Return how kept words are asked about; private ones not of a manager outside, who may not read them."""
    if reading.asks_outside and source.body.visibility is Visibility.PRIVATE:
        says = "Asks the built-in manager about just these words. Nothing leaves this machine."
        return AgainForm(f"{href}/here", opened.binding(), says, "Ask on this machine")
    return AgainForm(f"{href}/again", opened.binding(), "Asks again with the same words. Nothing was lost.")


def _what_happened(exchange: ExchangeRecord) -> str:
    if exchange.status == "requested":
        return "The manager was asked and its answer was not observed. Your words are kept."
    if exchange.status == "answered":
        return "The manager's answer is kept and was not read yet."
    detail = "" if exchange.detail is None else exchange.detail.or_erased()
    return f"{capital(detail)} Your words are kept.".strip()
