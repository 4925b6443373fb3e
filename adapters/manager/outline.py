"""Reads a Markdown outline - headings and nested lists - into items that can become one proposal.

The rules, in the order a line meets them:

1. A heading and a list item are one item each. A heading nests under the nearest heading of a lower level; a list
   item nests under the item or heading around it. Levels that were skipped are closed up, so depth grows by at most 1.
2. A list item may begin with a checkbox (`[ ]`, `[x]`), which makes it a Task. A tick is noted and is no status: that a
   task is completed takes a person's word or evidence. A list item without a word is left out.
3. An item may begin with a kind tag such as `[Goal]` or `[Open question]`, in any case. `[Artifact: path/to/file]` names
   a path and `[Task: profile-id]` a delegation profile. Brackets that name no kind belong to the title and are noted.
   A kind before a colon, plain or bold, is a tag too: `Decision: keep the floor`, `**Task:** order tiles`.
4. A hyphen or a dash with spaces on both sides (`Kitchen - on the ground floor`) ends the title; what follows is the description.
5. Further paragraphs of an item, and the lines below a short title line, are its description. A first line of 60
   characters or more is taken as wrapped: the next line continues it.
6. Fenced code blocks and horizontal rules carry no items and are left out. All other text belongs to an item or is
   refused: nothing is lost silently. HTML, quotes and link definitions are plain text.

Bounds: 1 MiB, 5,000 items, depth 32 (counted from 0, so 32 levels), titles of 300 characters; a longer title is cut
at a word and stands in full in the description.
"""

import re
from dataclasses import dataclass, field
from typing import Final, NoReturn

from markdown_it import MarkdownIt
from markdown_it.token import Token

from kernel.errors import InvalidError
from kernel.rules.limits import DESCRIPTION_BYTES_MAX, TITLE_CHARS_MAX
from kernel.values.placement import OutlineItem
from kernel.vocabulary import NodeKind

MAX_BYTES: Final = 1024 * 1024
MAX_ITEMS: Final = 5_000
MAX_DEPTH: Final = 32
MAX_TITLE: Final = TITLE_CHARS_MAX
WRAPPED_LINE: Final = 60

_TAGS: Final = {
    "goal": NodeKind.GOAL,
    "constraint": NodeKind.CONSTRAINT,
    "decision": NodeKind.DECISION,
    "task": NodeKind.TASK,
    "artifact": NodeKind.ARTIFACT,
    "idea": NodeKind.IDEA,
    "openquestion": NodeKind.OPEN_QUESTION,
    "question": NodeKind.OPEN_QUESTION,
    "evidence": NodeKind.EVIDENCE,
}
_HOST_MADE: Final = frozenset({"world", "project", "agentrun"})
_CHECKBOX: Final = re.compile(r"\[[ xX]\](?:\s+|$)")
_TAG: Final = re.compile(r"\[\s*([A-Za-z]+(?:[ _-][A-Za-z]+)?)\s*(?::\s*([^\]\n]*?)\s*)?\](?![(\[:])\s*")
_PREFIX: Final = re.compile(
    r"(?P<mark>\*\*|__|\*|_|)(?P<word>[A-Za-z]+(?:[ _-][A-Za-z]+)?)(?:\s?:(?P=mark)|(?P=mark)\s?:)\s+(?=\S)"
)
"""A kind before a colon, inside or outside of its emphasis."""
_DASH: Final = re.compile(r"\s+[-\u2013\u2014]\s+")
_UNREADABLE: Final = re.compile("[\x00\ud800-\udfff]")


@dataclass(slots=True)
class _Draft:
    """An item while its paragraphs are still coming in."""

    depth: int
    line: int
    text: str | None = None
    paragraphs: list[str] = field(default_factory=list)


def parse_outline(text: str) -> tuple[OutlineItem, ...]:
    """Read the items of a Markdown outline in the order they stand.

    Raises:
        InvalidError: the text is empty, too large, or holds something no rule reads; the sentence names the line.
    """
    text = text.removeprefix("\ufeff")
    _check_text(text)
    reader = _Reader()
    for token in _markdown().parse(text):
        reader.take(token)
    items = tuple(_finish(draft) for draft in reader.drafts)
    if not items:
        raise InvalidError("The outline holds no heading and no list item, so there is nothing to import.")
    return items


def _check_text(text: str) -> None:
    """Refuse what is empty, larger than the bound or no text at all."""
    if not text.strip():
        raise InvalidError("The outline is empty.")
    size = len(text.encode("utf-8", "surrogatepass"))
    if size > MAX_BYTES:
        raise InvalidError(f"The outline has {size:,} bytes; at most {MAX_BYTES:,} can be imported at once.")
    found = _UNREADABLE.search(text)
    if found:
        line = len(re.findall(r"\r\n?|\n", text[: found.start()])) + 1
        _refuse(line, "holds a character that is not text; save the file as UTF-8 and try again")


def _markdown() -> MarkdownIt:
    """Build a parser whose only containers are lists, so that nesting means depth and nothing else.

    Inline parsing is off: a title is read on its own, a description stays as written. `maxNesting` is far above what
    depth 32 needs, because the parser drops deeper text without a word and this module must refuse it instead.
    """
    markdown = MarkdownIt("commonmark", {"html": False, "maxNesting": 4 * MAX_DEPTH})
    return markdown.disable(["inline", "code", "blockquote", "html_block", "reference"])


_INLINE: Final = MarkdownIt("commonmark", {"html": False})


class _Reader:
    """Turns the token stream into drafts; holds where in the outline the stream stands."""

    def __init__(self) -> None:
        self.drafts: list[_Draft] = []
        self._levels: list[tuple[int, _Draft]] = []
        self._open: list[_Draft] = []

    def take(self, token: Token) -> None:
        """Take the next token of the stream."""
        line = token.map[0] + 1 if token.map else 0
        if token.type == "heading_open" and not self._open:
            self._begin_heading(int(token.tag[1:]), line)
        elif token.type == "list_item_open":
            self._open.append(self._begin(self._item_depth(), line))
        elif token.type == "list_item_close":
            self._close(self._open.pop())
        elif token.type == "inline":
            self._write(token.content, line)

    def _begin_heading(self, level: int, line: int) -> None:
        while self._levels and self._levels[-1][0] >= level:
            self._levels.pop()
        self._levels.append((level, self._begin(len(self._levels), line)))

    def _item_depth(self) -> int:
        if self._open:
            return self._open[-1].depth + 1
        return self._levels[-1][1].depth + 1 if self._levels else 0

    def _begin(self, depth: int, line: int) -> _Draft:
        if depth >= MAX_DEPTH:
            _refuse(line, f"lies deeper than {MAX_DEPTH} levels")
        if len(self.drafts) >= MAX_ITEMS:
            _refuse(line, f"is item {MAX_ITEMS + 1:,}; at most {MAX_ITEMS:,} can be imported at once")
        draft = _Draft(depth, line)
        if self._open and self._open[-1].text is None:
            _refuse(self._open[-1].line, "has no title of its own before what is nested in it")
        self.drafts.append(draft)
        return draft

    def _write(self, content: str, line: int) -> None:
        draft = self._open[-1] if self._open else self._levels[-1][1] if self._levels else None
        if draft is None:
            _refuse(line, "stands before the first heading or list item; begin it with `# ` or `- `")
        if draft.text is None:
            if not content.strip():
                _refuse(line, "has no title")
            draft.text = content
        elif content.strip():
            draft.paragraphs.append(content.strip())

    def _close(self, draft: _Draft) -> None:
        """Leave a bullet without a word out; one with something nested in it was refused when that began."""
        if draft.text is None:
            self.drafts.remove(draft)


def _finish(draft: _Draft) -> OutlineItem:
    """Read checkbox, tag, title and description of one collected item."""
    rest = (draft.text or "").strip()
    kind: NodeKind | None = None
    checkbox = _CHECKBOX.match(rest)
    if checkbox:
        kind, rest = NodeKind.TASK, rest[checkbox.end() :]
    tag, value = _TAG.match(rest), None
    tagged = _tag_kind(tag, draft.line) if tag else None
    prefix = None if tag else _PREFIX.match(rest)
    named = _TAGS.get(_key(prefix["word"])) if prefix else None
    if tag and tagged:
        kind, value, rest = tagged, tag.group(2), rest[tag.end() :]
    elif prefix and named:
        kind, rest = named, rest[prefix.end() :]
    title, described = _split(rest)
    if not title:
        _refuse(draft.line, "has a tag but no title")
    paragraphs = [part for part in (described, *draft.paragraphs) if part]
    title, overflow = _bounded(title)
    if overflow:
        paragraphs.insert(0, overflow)
    description = "\n\n".join(paragraphs)
    if len(description.encode()) > DESCRIPTION_BYTES_MAX:
        _refuse(draft.line, f"has a description of more than {DESCRIPTION_BYTES_MAX:,} bytes")
    return OutlineItem(
        depth=draft.depth,
        kind=kind,
        title=title,
        description=description or None,
        line=draft.line,
        artifact_path=value if kind is NodeKind.ARTIFACT else None,
        profile_id=value if kind is NodeKind.TASK else None,
        is_ticked=checkbox is not None and checkbox[0][1] != " ",
        unknown_tag=tag.group().strip() if tag and not tagged else None,
    )


def _key(word: str) -> str:
    """Return the word of a tag as the table of kinds spells it."""
    return re.sub(r"[ _-]", "", word).lower()


def _tag_kind(tag: re.Match[str], line: int) -> NodeKind | None:
    """Name the kind of a bracketed word, or None when it is no kind and so part of the title."""
    word = _key(tag.group(1))
    if word in _HOST_MADE:
        _refuse(line, f"asks for {tag.group(1)}, which an outline cannot make")
    kind = _TAGS.get(word)
    if kind and tag.group(2) is not None:
        if kind not in {NodeKind.ARTIFACT, NodeKind.TASK}:
            _refuse(line, f"gives {kind.value} a value; only Artifact takes a path and Task a profile")
        if not tag.group(2):
            _refuse(line, f"has nothing after the colon of its {kind.value} tag")
    return kind


def _split(text: str) -> tuple[str, str]:
    """Split an item's own paragraph into title and description (rules 4 and 5)."""
    first, _, below = text.partition("\n")
    if len(first) >= WRAPPED_LINE:
        first, below = text.replace("\n", " "), ""
    dash = _DASH.search(first)
    inline = first[dash.end() :].strip() if dash else ""
    title = first[: dash.start()] if dash else first
    return _plain(title.strip()), "\n".join(part for part in (inline, below.strip()) if part)


def _plain(title: str) -> str:
    """Read a title without its emphasis marks; a link keeps its address, everything else its characters."""
    if len(title) > 2 * MAX_TITLE or not re.search(r"[*_`\[\\&<]", title):
        return title
    words: list[str] = []
    hrefs: list[str] = []
    for token in _INLINE.parseInline(title)[0].children or []:
        if token.type == "link_open":
            hrefs.append(str(token.attrGet("href") or ""))
        elif token.type == "link_close":
            href = hrefs.pop()
            words.append(f" ({href})" if href and words[-1:] != [href] else "")
        else:
            words.append(" " if token.type == "softbreak" else token.content)
    return "".join(words).strip() or title


def _bounded(title: str) -> tuple[str, str]:
    """Cut a title at a word when it is too long; the second part is the full text, or empty."""
    if len(title) <= MAX_TITLE:
        return title, ""
    head = title[: MAX_TITLE - 1]
    at = head.rfind(" ")
    return (head[:at] if at > MAX_TITLE // 2 else head).rstrip() + "\u2026", title


def _refuse(line: int, why: str) -> NoReturn:
    """Refuse the outline with a sentence that names the line."""
    raise InvalidError(f"Line {line} of the outline {why}.")
