"""Addresses of repositories, for operators only: they may name internal hosts."""

from web.library.models import Repository


def repository_address(*, name: str) -> str | None:
    """Return the address of a repository; None for an unknown name."""
    return Repository.objects.filter(name=name).values_list("url", flat=True).first()
