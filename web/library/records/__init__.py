"""What the library's services and selectors return: frozen records, never models or querysets.

Lines count from 1. Instants are aware and in UTC. Text is as it stands in the repository, decoded,
NUL removed; whoever shows it escapes invisible characters and marks it as untrusted.
"""
