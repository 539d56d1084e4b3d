"""Whether this installation is well: one set of checks, for /ready, get_health and the admin."""
