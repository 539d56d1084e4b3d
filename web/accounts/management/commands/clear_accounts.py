"""`manage.py clear_accounts`: remove what accounts do not need any more; run it daily."""

from typing import Any

from django.core.management.base import BaseCommand
from oauth2_provider.models import clear_expired

from web.accounts.services.connections import clients_forget_unused


class Command(BaseCommand):
    """Removes expired codes and tokens of OAuth, clients that nobody used, and old sessions."""

    help = "Remove expired OAuth codes and tokens, unused OAuth clients and old sessions."

    def handle(self, *args: Any, **options: Any) -> None:
        """Remove them and say how many clients went."""
        from django.core.management import call_command

        clear_expired()
        call_command("clearsessions")
        self.stdout.write(f"{clients_forget_unused()} unused OAuth clients removed.")
