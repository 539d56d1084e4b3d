"""What the outside may ask of accounts."""

from web.accounts.selectors.principals import (
    principal_for_token,
    principal_for_user,
    principal_of,
)
from web.accounts.selectors.resources import (
    protected_resource_metadata,
    protected_resource_metadata_url,
    resource_url,
)

__all__ = [
    "principal_for_token",
    "principal_for_user",
    "principal_of",
    "protected_resource_metadata",
    "protected_resource_metadata_url",
    "resource_url",
]
