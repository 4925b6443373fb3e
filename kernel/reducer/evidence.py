"""What a ledger remembers of independent evidence."""

from kernel.events.evidence import ValidationRecorded
from kernel.reducer.registry import evolves
from kernel.reducer.source import follow
from kernel.state import Origin, State, ValidationRecord, changed


@evolves(ValidationRecorded)
def validation_recorded(state: State, body: ValidationRecorded, origin: Origin) -> State:
    """Keep the result with its closure, passed or not."""
    record = ValidationRecord(body, origin)
    state = changed(state, validations=state.validations.put(body.validation_id, record))
    return follow(state, body.closure_id, body.validation_id)
