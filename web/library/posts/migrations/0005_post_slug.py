"""Slugs in every script: their form is checked where posts are written."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [("posts", "0004_feed_error_hint")]

    operations = [
        migrations.AlterField(
            model_name="post",
            name="slug",
            field=models.CharField(max_length=100, unique=True),
        ),
    ]
