"""The tools of portolan-project: contracts bound to the library's selectors, one file each."""
