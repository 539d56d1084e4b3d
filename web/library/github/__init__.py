"""Issues on GitHub, read and written with the caller's own token; nothing of them is kept here.

`projects` says which repositories are on GitHub, `client` is the only way to its REST API,
`failures` says what its refusals mean, `shapes` reads its JSON. What the outside may call stands in
`web.library.selectors.issues` and `web.library.services.issues`.
"""
