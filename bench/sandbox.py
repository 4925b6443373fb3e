"""Starting the interpreter confined, beside plainly forking and executing the same one."""

import subprocess
from typing import Final

from adapters.sandbox.bubblewrap import INTERPRETER, Bubblewrap
from bench.table import Row, interleaved, median_ms
from kernel.values.execution import SandboxJob

ROUNDS: Final = 25
_PROGRAM: Final = (*INTERPRETER, "-c", "pass")


def rows() -> list[Row]:
    """Return the one row of this measure."""
    sandbox = Bubblewrap()
    facts = sandbox.probe()
    if facts.tier == "unavailable":
        return [Row("sandbox start", f"unavailable: {'; '.join(facts.missing)}")]
    found = interleaved(
        {
            "ours": lambda: sandbox.run(SandboxJob(argv=_PROGRAM, inputs=())),
            "plain": lambda: subprocess.run(_PROGRAM, check=True, env={}),
        },
        rounds=ROUNDS,
    )
    ours, plain = median_ms(found["ours"]), median_ms(found["plain"])
    return [
        Row(
            f"sandbox start and end, tier {facts.tier}",
            f"{ours:.1f} ms",
            f"{plain:.1f} ms plain fork and exec of the same interpreter",
            f"+{ours - plain:.1f} ms",
        )
    ]
