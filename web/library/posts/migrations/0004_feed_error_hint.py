"""What a failed import leaves in two parts: what happened, for everyone, and what to do, for staff."""

from django.db import migrations, models


def split(apps, schema_editor):
    """Keep the first sentence of what is stored as what happened; the next import says it anew."""
    feeds = apps.get_model("posts", "Feed").objects
    for stale in feeds.using(schema_editor.connection.alias).exclude(error=""):
        message, dot, stale.error_hint = stale.error.partition(". ")
        stale.error = message + dot.strip()
        stale.save(update_fields=["error", "error_hint"])


def join(apps, schema_editor):
    """Put both parts together again."""
    feeds = apps.get_model("posts", "Feed").objects
    for stale in feeds.using(schema_editor.connection.alias).exclude(error_hint=""):
        stale.error = f"{stale.error} {stale.error_hint}"
        stale.save(update_fields=["error"])


class Migration(migrations.Migration):

    dependencies = [("posts", "0003_fulltext_stands_alone")]

    operations = [
        migrations.AddField(
            model_name="feed",
            name="error_hint",
            field=models.TextField(blank=True, editable=False),
        ),
        migrations.RunPython(split, join),
    ]
