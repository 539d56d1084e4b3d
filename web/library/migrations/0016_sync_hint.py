"""What a failed sync leaves in two parts: what happened, for everyone, and what to do, for staff."""

from django.db import migrations, models


def split(apps, schema_editor):
    """Keep the first sentence of what is stored as what happened; the next sync says it anew."""
    repositories = apps.get_model("library", "Repository").objects
    for stale in repositories.using(schema_editor.connection.alias).exclude(sync_error=""):
        message, dot, stale.sync_hint = stale.sync_error.partition(". ")
        stale.sync_error = message + dot.strip()
        stale.save(update_fields=["sync_error", "sync_hint"])


def join(apps, schema_editor):
    """Put both parts together again."""
    repositories = apps.get_model("library", "Repository").objects
    for stale in repositories.using(schema_editor.connection.alias).exclude(sync_hint=""):
        stale.sync_error = f"{stale.sync_error} {stale.sync_hint}"
        stale.save(update_fields=["sync_error"])


class Migration(migrations.Migration):

    dependencies = [("library", "0015_unopened_folders")]

    operations = [
        migrations.AddField(
            model_name="repository",
            name="sync_hint",
            field=models.TextField(blank=True, editable=False, help_text="Shown to staff."),
        ),
        migrations.AlterField(
            model_name="repository",
            name="sync_error",
            field=models.TextField(blank=True, editable=False, help_text="Shown to everyone."),
        ),
        migrations.RunPython(split, join),
    ]
