"""Count how often the server of a feed refused to answer since it last did."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ("posts", "0005_post_slug"),
    ]

    operations = [
        migrations.AddField(
            model_name="feed",
            name="refusals",
            field=models.PositiveIntegerField(default=0, editable=False),
        ),
    ]
