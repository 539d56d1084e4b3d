"""Documentation sites as sources: crawled into a mirror of their own, then indexed as any other.

A site is a repository of the catalogue whose address begins with `site+`. Its "fetch" is a crawl
that commits the pages, as Markdown, into the bare mirror; all that comes after (index, history,
freshness, reading) is the same as for a repository that was cloned.
"""
