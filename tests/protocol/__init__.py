"""The protocol as one table: what is sent at which version, and what comes back.

`rows` is the table; the tests send every row at every version to the sidecar in this process, to a
running one, and to one behind nginx. docs/protocol.md shows the same rows.
"""
