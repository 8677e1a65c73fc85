"""Language features without protocol: hover, inlay hints, code lenses, pages."""
