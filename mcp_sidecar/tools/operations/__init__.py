"""The tools of portolan-operations over accounts, the library, logs and usage."""
