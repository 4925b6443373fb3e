"""The web edge: headers, origins, bounds, forms, templates and live updates. Owns no page and no rule."""
