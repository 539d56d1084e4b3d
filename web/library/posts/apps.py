"""The Django application of the posts."""

from django.apps import AppConfig


class PostsConfig(AppConfig):
    """Tables, migrations, admin and templates of the blog."""

    name = "web.library.posts"
    label = "posts"
    verbose_name = "Posts"
