"""Who is calling: accounts, tokens, OAuth."""

from django.apps import AppConfig


class AccountsConfig(AppConfig):
    """Django's entry for accounts."""

    name = "web.accounts"
    label = "accounts"

    def ready(self) -> None:
        """Connect the receivers that write sign-ins into the audit."""
        from web.accounts import receivers  # noqa: F401
