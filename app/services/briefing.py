"""Briefs: compile one from an accepted task, for the branch as it is now. Compiling grants nothing."""

from dataclasses import dataclass

from app.ports import Repositories
from app.services.desk import Caller, Desk
from app.services.registry import Registry
from kernel.briefs import BriefOrder, compile_brief, profile_for
from kernel.commands import CompileBrief
from kernel.events.delegation import BriefCompiled
from kernel.rules.delegation import brief_of
from kernel.state import BriefRecord, State


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

        Raises: RefusedError when the task does not fit the profile; NotFoundError; GitRefusedError when the
        target branch cannot be read.
        """
        state = self.desk.state(ledger_id)
        profile = profile_for(state, node_id, self.registry.profiles, profile_id)
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

    def find(self, brief_id: str) -> tuple[State, BriefRecord]:
        """Return the brief and the state of its ledger.

        Raises: NotFoundError.
        """
        state = self.desk.state(self.desk.ledger_of(brief_id))
        return state, brief_of(state, brief_id)
