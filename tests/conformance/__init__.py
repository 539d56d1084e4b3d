"""Conformance: the official suite, and clients that others wrote."""
