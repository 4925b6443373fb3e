"""What executes runs: today the `scripted` runtime, a registered deterministic program, labelled as no model."""
