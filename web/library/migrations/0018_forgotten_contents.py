"""Let a sync leave contents that nothing shows to a later one."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("library", "0017_symbols_by_content")]

    operations = [
        migrations.AddField(
            model_name="indexstate",
            name="has_forgotten",
            field=models.BooleanField(default=False),
        ),
    ]
