"""`manage.py index_posts`: make all posts findable anew."""

from typing import Any

from django.core.management.base import BaseCommand

from web.library.services.posts import posts_index_again


class Command(BaseCommand):
    """Cuts every post into its sections again and indexes them."""

    help = (
        "Index all posts anew, as after their rows were copied into another database. "
        "Posts that are written or imported are indexed at once without it."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        """Index them."""
        self.stdout.write(f"{posts_index_again()} posts are indexed.")
