"""Who is calling: accounts, tokens, OAuth."""

from django.apps import AppConfig, apps


class AccountsConfig(AppConfig):
    """Django's entry for accounts."""

    name = "web.accounts"
    label = "accounts"

    def ready(self) -> None:
        """Connect the receivers that write sign-ins into the audit."""
        if apps.is_installed("axes"):  # not where nobody signs in, as in the sidecar
            from web.accounts import receivers  # noqa: F401
