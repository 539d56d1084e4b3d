"""Let PostgreSQL's full-text table of posts stand alone, as SQLite's does.

It is written and cleared by the services beside the sections. A foreign key to a table of the
models made every TRUNCATE of theirs fail, which `flush` is.
"""

from django.db import migrations

KEY = "posts_fulltext_section_id_fkey"


def drop_key(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(f"ALTER TABLE posts_fulltext DROP CONSTRAINT {KEY}")


class Migration(migrations.Migration):
    dependencies = [("posts", "0002_fulltext")]
    operations = [migrations.RunPython(drop_key, migrations.RunPython.noop)]
