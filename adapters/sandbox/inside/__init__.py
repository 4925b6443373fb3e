"""Programs of the host that run inside the sandbox, sent in as bytes and never imported by the product."""
