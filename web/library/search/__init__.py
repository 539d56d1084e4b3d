"""Search over the index: tokens, query language, ranking, and a full-text backend per database."""
