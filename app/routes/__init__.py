"""Thin HTTP handlers: parse, call a service, render. Owns no rule and no page's content."""
