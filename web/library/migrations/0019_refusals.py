"""Note since when, how often and until when a remote that refuses the sign-in is left alone."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("library", "0018_forgotten_contents")]

    operations = [
        migrations.AddField(
            model_name="repository",
            name="sync_refusals",
            field=models.PositiveIntegerField(default=0, editable=False),
        ),
        migrations.AddField(
            model_name="repository",
            name="sync_refused_at",
            field=models.DateTimeField(editable=False, null=True),
        ),
        migrations.AddField(
            model_name="repository",
            name="sync_retry_at",
            field=models.DateTimeField(editable=False, null=True),
        ),
    ]
