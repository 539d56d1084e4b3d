"""Posts: written here or imported from feeds; their tables, text, search and pages."""
