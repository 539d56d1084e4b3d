"""Web addresses of files, for the forges whose addresses are known."""

import re
from urllib.parse import quote, urlsplit

from web.library.sites.address import is_site, page_url

_SCP_LIKE = re.compile(r"(?:[^@/\s]+@)?(?P<host>[A-Za-z0-9.-]+):(?P<path>(?!//)[^\s]+)")


def file_url(
    address: str,
    *,
    commit: str,
    path: str,
    start_line: int | None = None,
    end_line: int | None = None,
) -> str:
    """Return where a file of a commit stands on the web; empty for an unknown forge.

    `address` is the repository's, https or ssh; a file of a site is a page. Lines count from 1.
    """
    host, project = host_and_project(address)
    # With a segment of dots a browser would go elsewhere.
    if not project or not commit or not {"", ".", ".."}.isdisjoint(path.split("/")):
        return page_url(address, path) if is_site(address) else ""
    name = host.lower()
    where = f"https://{host}/{quote(project)}"
    file = quote(path)
    last = end_line if end_line and start_line and end_line > start_line else None
    lines = f"#L{start_line}" + (f"-L{last}" if last else "") if start_line else ""
    if "gitlab" in name:
        return f"{where}/-/blob/{commit}/{file}{lines.replace('-L', '-')}"
    if "github" in name:
        return f"{where}/blob/{commit}/{file}{lines}"
    if name == "bitbucket.org":
        marked = f"#lines-{start_line}" + (f":{last}" if last else "") if start_line else ""
        return f"{where}/src/{commit}/{file}{marked}"
    if "gitea" in name or "forgejo" in name or name == "codeberg.org":
        return f"{where}/src/commit/{commit}/{file}{lines}"
    return ""


def commit_url(address: str, *, commit: str) -> str:
    """Return where a commit stands on the web; empty for an unknown forge."""
    host, project = host_and_project(address)
    name = host.lower()
    if not project or not commit:
        return ""
    where = f"https://{host}/{quote(project)}"
    if "gitlab" in name:
        return f"{where}/-/commit/{commit}"
    if name == "bitbucket.org":
        return f"{where}/commits/{commit}"
    known = any(word in name for word in ("github", "gitea", "forgejo")) or name == "codeberg.org"
    return f"{where}/commit/{commit}" if known else ""


def host_and_project(address: str) -> tuple[str, str]:
    """Return the host and the project's path, without `.git`; empty for a path of this machine."""
    if is_site(address):
        return "", ""
    if "://" in address:
        parts = urlsplit(address)
        if parts.scheme not in {"https", "http", "ssh"}:
            return "", ""
        host, path = parts.hostname or "", parts.path
    elif match := _SCP_LIKE.fullmatch(address):
        host, path = match["host"], match["path"]
    else:
        return "", ""
    return host, path.strip("/").removesuffix(".git")
