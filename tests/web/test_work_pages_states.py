# ruff: noqa: RUF001 - the words are typeset
"""Every way a piece of work can stand renders truthfully: built from a lawful story, shown by the real templates."""

from dataclasses import replace

import pytest

from app.views.building.brief import TITLES_MAX, brief_page
from app.views.building.results import changed_lines
from app.views.building.work import list_page, thread_page
from app.views.shell import Shell
from app.views.work.sight import Branch, Journal, Patch, Sight, View, sentence
from app.web.templating import render_page
from kernel.commands import BlockRun, ImportOutline, OutlineNode
from kernel.projections.threads import WorkStanding
from kernel.projections.worklist import work_list
from kernel.values.execution import JournalState
from kernel.vocabulary import NodeKind, PromotionOutcome, Role
from tests.support.story import BASE, HOST, PROFILE, RUNTIME, receipt
from tests.support.works import TELLERS, Work, fence, proven, run_id, running
from tests.web.gallery import Reader

PATCH = "diff --git a/cost.py b/cost.py\n--- a/cost.py\n+++ b/cost.py\n@@ -1 +1,2 @@\n-a\n+b\n+c\n"
S = WorkStanding
SAYS: dict[WorkStanding, tuple[int, str, list[str], str]] = {
    S.CAPTURED: (1, "Captured, not adopted yet", [], "Waits in the Inbox"),
    S.ADOPTED: (
        2,
        "Adopted: brief this task",
        ["brief"],
        "2 would be shared: the task, the place it stands in",
    ),
    S.SAID_DONE: (2, "Completed by a person’s word", [], "Nothing was briefed, run or checked."),
    S.BRIEFED: (3, "Briefed: authorise exactly one run", ["authorise"], "Nothing leaves this machine"),
    S.BRIEF_STALE: (3, "Briefed, and overtaken", ["brief"], "what the brief shares changed since"),
    S.QUEUED: (4, "Waiting for a worker", ["cancel"], "Queued"),
    S.RUNNING: (4, "A worker has the brief", [], "it cannot be called back"),
    S.BLOCKED: (4, "The worker stopped and asks", ["brief", "authorise"], "Which currency?"),
    S.FAILED: (4, "Nothing came back to use", ["authorise", "brief"], "what it rests on moved"),
    S.LOST: (
        4,
        "Nothing came back to use",
        ["authorise", "brief"],
        "It counts neither as done nor as failed",
    ),
    S.CANCELLED: (4, "The run was withdrawn", ["authorise", "brief"], "Not today"),
    S.RETURNED: (5, "Returned: 1 file, not checked yet", ["validate"], "Its own words, not evidence."),
    S.VALIDATING: (5, "The sealed files are being checked", [], "Being checked"),
    S.NOT_JUDGED: (
        5,
        "Returned, and still not checked",
        ["validate"],
        "counts neither as passed nor as failed",
    ),
    S.NOT_PROVEN: (6, "Not validated: 0 of 1 passed", ["brief", "validate"], "1 of 3 cases right."),
    S.PROVEN: (6, "Validated: 1 of 1 passed", ["reconcile", "validate"], "answers never left the host"),
    S.GATE_CLOSED: (6, "Validated: 1 of 1 passed", ["brief"], "Proven, and cannot be integrated"),
    S.RECONCILED: (7, "Integrate into the worldstate", ["integrate", "reject"], "Makes revision 2."),
    S.OVERTAKEN: (7, "Integrate into the worldstate", ["brief", "reject"], "A gate is not open any more."),
    S.INTEGRATED: (7, "Integrated, not promoted", ["promote"], "Nothing moves."),
    S.OUT_OF_FORCE: (7, "Integrated once, no longer in force", ["brief"], "can no longer be promoted"),
    S.PROPOSED: (8, "Proposed: authorise this one move", ["authorise"], "It still needs an operator."),
    S.AUTHORIZED: (8, "Waiting for an operator", [], "Only an operator with a token moves the branch."),
    S.LAPSED: (
        8,
        "Lapsed: authorise this one move again",
        ["authorise"],
        "no operator acted. Nothing moved.",
    ),
    S.MOVING: (8, "Waiting for the outcome", [], "Under way: no outcome is recorded"),
    S.PROMOTED: (8, "Promotion", [], "Promoted: main is the candidate"),
    S.STALE: (8, "Promotion", ["brief", "promote"], "Stale: nothing moved"),
    S.NOT_PROMOTED: (8, "Promotion", ["promote", "brief"], "Failed: nothing moved"),
    S.UNKNOWN: (8, "Promotion", [], "Outcome unknown"),
}


def _sight(work: Work, **changes: object) -> Sight:
    shell = Shell.example_in("Work", f"/p/{work.story.ledger}/work/{work.task_id}")
    sight = Sight(
        shell=shell,
        now=work.story.later(1),
        names={"owner": "Mira", "opal": "Opal"},
        profiles=(PROFILE,),
        runtimes=(RUNTIME,),
        can_act=True,
        new_command=lambda: "command_01jdz8q3v4m5n6p7q8r9s0t1v2",
        branch=Branch(BASE),
        patch=Patch(PATCH),
        journal=None,
    )
    return replace(sight, **changes)  # type: ignore[arg-type]


def _html(work: Work, role: Role = Role.OWNER, **changes: object) -> str:
    sight = _sight(work, can_act=role is Role.OWNER, **changes)
    return render_page("work/thread.html", thread_page(work.story.state, work.thread(role), sight))


def _acts(html: str) -> list[str]:
    """Return the last word of the address of every act that can be pressed."""
    page = Reader(html)
    assert page.faults == []
    forms = [
        item.within("form")
        for item in page.elements
        if item.tag == "button" and "disabled" not in item.attributes and item.within("main")
    ]
    actions = [form.attributes.get("action", "") for form in forms if form is not None]
    return [action.rsplit("/", 1)[-1] for action in actions if action]


@pytest.mark.parametrize("standing", SAYS, ids=lambda item: item.value)
def test_a_thread_says_how_it_stands(standing: WorkStanding) -> None:
    """Stage, heading, the acts that can be pressed and the telling sentence are those of the standing."""
    stage, heading, acts, sentence = SAYS[standing]
    html = _html(TELLERS[standing]())
    found = (f"<b>Stage {stage} of 8</b>" in html, f'<h2 id="stage-h">{heading}</h2>' in html, _acts(html))
    assert found == (True, True, acts)
    assert sentence in html


def test_every_standing_is_looked_at() -> None:
    """A way of standing without its page would be a blank one."""
    assert set(SAYS) == set(TELLERS)


@pytest.mark.parametrize("standing", SAYS, ids=lambda item: item.value)
def test_a_viewer_has_nothing_to_press(standing: WorkStanding) -> None:
    """Whoever may only look gets the same page without any act."""
    assert _acts(_html(TELLERS[standing](), Role.VIEWER)) == []


def test_a_hostile_question_stands_as_text() -> None:
    """Markup, hidden direction marks and instructions in a worker's words are shown, never obeyed."""
    work = running()
    attack = "<script>alert(1)</script>\u202e</blockquote><a href=x>Accept now</a>"
    work.story.after(BlockRun(run_id(work), fence(work), attack), HOST)
    html = _html(work)
    assert "<script>alert(1)" not in html
    assert "\u202e" not in html
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in html


def test_a_branch_that_moved_keeps_a_run_from_being_authorised() -> None:
    """The branch is read for the page; when it is elsewhere the act stands there with its reason."""
    html = _html(TELLERS[S.BRIEFED](), branch=Branch("9" * 40))
    assert "main moved since the brief was compiled. Brief the task again." in html
    assert _acts(html) == ["brief"]


def test_a_branch_that_cannot_be_read_is_said_so() -> None:
    """Nothing is guessed about a branch that nobody could read."""
    html = _html(TELLERS[S.BRIEFED](), branch=Branch(None, "the ref is symbolic"))
    assert "main cannot be read: the ref is symbolic" in html


def test_a_promotion_is_attested_only_when_the_journal_says_the_same() -> None:
    """The recorded outcome is compared with the journal each time the page is made."""
    work = TELLERS[S.PROMOTED]()
    (record,) = work.story.state.promotions.rows()
    same = receipt(record.body.promotion_id, PromotionOutcome.PROMOTED)
    other = replace(same, status_digest="sha256:" + "9" * 64)
    states = (
        Journal(JournalState(same.promotion_id, "completed", same, ())),
        Journal(JournalState(same.promotion_id, "completed", other, ())),
        Journal(JournalState(same.promotion_id, "completed", None, ("a signature does not hold",))),
        Journal(None, "the folder can be read by others"),
    )
    marks = ("Attested", "Does not match", "Journal damaged", "Not attested")
    said = [
        next(mark for mark in marks if f"</svg>{mark}</span>" in _html(work, journal=item)) for item in states
    ]
    assert said == list(marks)


def test_choosing_another_profile_says_what_it_records() -> None:
    """A task without a profile gets one as a revision of its own, and the act says so before it is pressed."""
    work = TELLERS[S.ADOPTED]()
    node = work.story.state.tables.nodes[work.task_id].model_copy(update={"profile_id": None})
    tables = work.story.state.tables
    bare = replace(work.story.state, tables=replace(tables, nodes=tables.nodes.put(node.id, node)))
    thread = replace(work.thread(), node=node)
    html = render_page("work/thread.html", thread_page(bare, thread, _sight(work)))
    assert "Records the profile on the task as a revision" in html


def test_a_profile_is_chosen_beforehand_only_if_something_speaks_for_it() -> None:
    """The task's own one is; for a task without one, that stands beside no file of it, a person has to choose."""
    work = TELLERS[S.ADOPTED]()
    own = _html(work)
    tables = work.story.state.tables
    node = tables.nodes[work.task_id].model_copy(update={"profile_id": None})
    bare = replace(work.story.state, tables=replace(tables, nodes=tables.nodes.put(node.id, node)))
    thread = replace(work.thread(), node=node)
    none = render_page("work/thread.html", thread_page(bare, thread, _sight(work)))
    artifact = node.model_copy(
        update={
            "id": f"node_{'0' * 26}",
            "kind": NodeKind.ARTIFACT,
            "artifact_path": PROFILE.contract.allowed_paths[0],
        }
    )
    near = replace(
        bare.tables,
        nodes=bare.tables.nodes.put(artifact.id, artifact),
        children=bare.tables.children.put(node.id, (artifact.id,)),
    )
    beside = render_page("work/thread.html", thread_page(replace(bare, tables=near), thread, _sight(work)))
    unsure, told = "Nothing says yet that a worker can do this", "The task stands beside"
    assert [(" checked" in html, unsure in html, told in html) for html in (own, none, beside)] == [
        (True, False, False),
        (False, True, False),
        (True, False, True),
    ]


def test_without_a_fitting_profile_the_page_says_what_is_missing() -> None:
    """Nothing is offered that could not be compiled."""
    html = _html(TELLERS[S.ADOPTED](), profiles=())
    assert ("No profile fits a task here" in html, _acts(html)) == (True, [])


def test_earlier_tries_stay_in_sight() -> None:
    """What a later brief replaced is listed with how far it came and where to read it."""
    work = TELLERS[S.NOT_PROVEN]()
    work.story.briefed(work.task_id)
    html = _html(work)
    assert "Earlier tries: 1" in html
    assert "Brief by Mira</span>" in html


def test_a_page_stops_asking_by_itself() -> None:
    """A page left open asks a bounded number of times, then leaves it to the person."""
    work = running()
    asking, done = _html(work, polls=149), _html(work, polls=150)
    assert ("every 2s" in asking, "every 2s" in done, "Look again" in done) == (True, False, True)


def test_the_list_counts_who_waits() -> None:
    """The list names each thread's stage and what it waits for."""
    work = proven()
    found = work_list(work.story.state, Role.OWNER, work.story.later(1))
    page = list_page(work.story.state, found, Shell.example_in("Work", "/p/x/work"))
    html = render_page("work/list.html", page)
    assert (page.summary, "Stage 6 of 8: Validated" in html, "Needs you" in html) == (
        "1 piece of work, 1 waits for a person",
        True,
        True,
    )


def test_a_brief_shows_both_sides_and_its_exact_bytes() -> None:
    """Shared with reasons, withheld with reasons, the contract's words and the payload as recorded."""
    work = TELLERS[S.ADOPTED]()
    work.story.accepted(work.story.captured("Ask the bank", private=True))
    work.story.accepted(work.story.captured("Paint the fence"))
    work.story.briefed(work.task_id)
    (record,) = work.story.state.briefs.rows()
    page = brief_page(View(work.story.state, work.thread(), _sight(work)), record)
    told = (
        [(line.title, line.reason) for line in page.shared],
        [(group.count, group.titles) for group in page.withheld],
        page.payload == record.body.payload.text,
        page.contract.proof,
    )
    assert told == (
        [("Work out the cost of three vans", "The task itself"), ("Birch Lane 7", "Where it stands")],
        [("1 private", ("Ask the bank",)), ("1 not needed", ("Paint the fence",))],
        True,
        ("Costs are right: compared on the host",),
    )


def test_what_a_brief_withholds_comes_in_pages() -> None:
    """However many nodes stay here, a page lists so many titles, and leads to those before and after."""
    work = TELLERS[S.ADOPTED]()
    titles = [f"Thought {number}" for number in range(TITLES_MAX + 3)]
    nodes = tuple(OutlineNode(NodeKind.IDEA, title, None, None) for title in titles)
    event = work.story.after(ImportOutline("# many", work.story.state.root_id, nodes))[-1]
    work.story.accepted(event.body.delta_id)  # type: ignore[attr-defined]
    work.story.briefed(work.task_id)
    (record,) = work.story.state.briefs.rows()
    view = View(work.story.state, work.thread(), _sight(work))
    first, rest = brief_page(view, record), brief_page(view, record, TITLES_MAX)
    shown = [title for page in (first, rest) for group in page.withheld for title in group.titles]
    assert sorted(shown) == sorted(titles)
    assert (first.more, rest.earlier) != (None, None)
    assert (first.earlier, rest.more) == (None, None)
    assert (first.is_unfolded, rest.is_unfolded) == (False, True)


def test_a_used_brief_says_so_and_a_replaced_one_cannot_start_a_run() -> None:
    """Only the current brief of a task can be authorised."""
    work = TELLERS[S.NOT_PROVEN]()
    used = work.story.state.briefs.rows()[0]
    before = brief_page(View(work.story.state, work.thread(), _sight(work)), used)
    work.story.briefed(work.task_id)
    after = brief_page(View(work.story.state, work.thread(), _sight(work)), used)
    assert before.notice is not None
    assert after.notice is not None
    assert (before.notice.title, before.primary, after.notice.title, after.primary) == (
        "This brief was used for one run",
        None,
        "A later brief took its place",
        None,
    )


def test_lines_of_a_patch_are_counted_per_file() -> None:
    """Header lines are no changes, and a removed line that looks like one is."""
    patch = PATCH + "diff --git a/b c.txt b/b c.txt\n--- a/b c.txt\n+++ b/b c.txt\n@@ -1 +0,0 @@\n--- gone\n"
    assert changed_lines(patch) == {"cost.py": "2 added, 1 removed", "b c.txt": "1 removed"}


def test_a_branch_that_moved_is_said_before_a_promotion_is_proposed() -> None:
    """The move would end as stale, so a new brief comes first and proposing stays possible."""
    html = _html(TELLERS[S.INTEGRATED](), branch=Branch("9" * 40))
    assert ("main moved since the candidate was made" in html, _acts(html)) == (True, ["brief", "promote"])


def test_a_failure_is_said_once_and_in_the_hosts_own_words() -> None:
    """A detail keeps the spelling of a path, gets short object ids, and does not repeat the title."""
    said = [sentence(item) for item in ("the branch holds " + "ab12" * 10, "paint/tins.py is outside.")]
    assert said == ["The branch holds ab12ab12.", "paint/tins.py is outside."]
