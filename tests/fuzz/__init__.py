"""Random and hostile input for the whole sidecar, in this process: `python -m tests.fuzz --help`.

`values` are the texts and JSON values that everything is made of; `bodies`, `arguments`, `requests`
and `trees` make cases of them; `sidecar` serves them, `judge` says what is wrong with an answer,
`campaign` counts. The same campaigns run small in the test suite.
"""
