"""Compare paths byte by byte, as git does.

Folders are ranges of paths. In the collation of most PostgreSQL databases such a range would also
hold `Docs/` beside `docs/`; SQLite compares bytes anyway.
"""

from django.db import migrations


def compare_bytes(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(
            'ALTER TABLE library_path ALTER COLUMN path TYPE text COLLATE "C"'
        )


class Migration(migrations.Migration):
    dependencies = [("library", "0006_lean_index")]

    operations = [migrations.RunPython(compare_bytes, migrations.RunPython.noop)]
