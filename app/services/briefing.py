"""Briefs: compile one from an accepted task, for the branch as it is now. Compiling grants nothing."""

from dataclasses import dataclass

from app.ports import Repositories
from app.services.desk import Caller, Desk
from app.services.registry import Registry
from kernel.briefs import BriefOrder, compile_brief, profile_for
from kernel.commands import AcceptDelta, CompileBrief, ProposeCorrection
from kernel.events.delegation import BriefCompiled
from kernel.events.delta import DeltaProposed
from kernel.rules.delegation import brief_of
from kernel.rules.seen import delta_seen
from kernel.state import BriefRecord, State
from kernel.values.work import Profile


@dataclass(frozen=True, slots=True)
class Briefs:
    """Compiles and finds briefs."""

    desk: Desk
    registry: Registry
    repositories: Repositories

    def compile(
        self, ledger_id: str, caller: Caller, node_id: str, profile_id: str | None = None
    ) -> BriefRecord:
        """Compile, prove and keep a brief for a task.

        A profile that is named and not yet the task's is first proposed on it and accepted by the same person,
        as a revision of its own: naming it here is that person's choice, and the ledger shows it.

        Raises: RefusedError when the task does not fit the profile; NotFoundError; GitRefusedError when the
        target branch cannot be read.
        """
        # Whoever does not see the task is told so in the words for a task that is not there.
        state = self.desk.state_for(ledger_id, caller.actor.role)
        profile = profile_for(state, node_id, self.registry.profiles, profile_id)
        if profile.contract.profile_id != state.tables.nodes[node_id].profile_id:
            self._select(ledger_id, caller, node_id, profile)
        contract = profile.contract
        head = self.repositories.resolve(
            self.registry.repository(contract.repository_id), contract.target_ref
        )
        order = BriefOrder(node_id, profile, head.commit)

        def command(current: State) -> CompileBrief:
            return compile_brief(current, order)

        material = {"task": node_id, "profile": contract.profile_id}
        done = self.desk.act(ledger_id, caller, command, material=material)
        body = next(event.body for event in done.events if isinstance(event.body, BriefCompiled))
        return done.state.briefs[body.brief_id]

    def _select(self, ledger_id: str, caller: Caller, node_id: str, profile: Profile) -> None:
        rationale = f"Delegate this task under the profile {profile.title}"
        command = ProposeCorrection(node_id, rationale, profile_id=profile.contract.profile_id)
        done = self.desk.act(ledger_id, caller.again(), command)
        delta_id = next(event.body.delta_id for event in done.events if isinstance(event.body, DeltaProposed))
        # An act on meaning speaks of what its actor sees.
        state = self.desk.state_for(ledger_id, caller.actor.role)
        seen = delta_seen(state, state.deltas[delta_id])
        self.desk.act(ledger_id, caller.again(), AcceptDelta(delta_id, 0, state.revision, seen))

    def find(self, brief_id: str) -> tuple[State, BriefRecord]:
        """Return the brief and the state of its ledger.

        Raises: NotFoundError.
        """
        state = self.desk.state(self.desk.ledger_of(brief_id))
        return state, brief_of(state, brief_id)
