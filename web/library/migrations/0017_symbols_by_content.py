"""Keep the definitions of a content together, without an id of their own."""

import django.db.models.deletion
from django.db import migrations, models

from web.library.database import without_rowid

FACTS = "name_id, kind, scope, line, end_line, lead, depth"
KEPT = f"""
CREATE TABLE library_symbol_kept AS
SELECT content_id, {FACTS}, row_number() OVER (PARTITION BY content_id ORDER BY id) - 1 AS number
FROM library_symbol
"""
KEPT_WITHOUT_ID = f"""
CREATE TABLE library_symbol_kept AS SELECT content_id, {FACTS}, number FROM library_symbol
"""


def keep(apps, schema_editor):
    schema_editor.execute(KEPT)


def keep_without_id(apps, schema_editor):
    schema_editor.execute(KEPT_WITHOUT_ID)


def put_back(apps, schema_editor):
    without_rowid(schema_editor, "library_symbol")
    schema_editor.execute(
        f"INSERT INTO library_symbol (content_id, number, {FACTS})"
        f" SELECT content_id, number, {FACTS} FROM library_symbol_kept ORDER BY content_id, number"
    )
    schema_editor.execute("DROP TABLE library_symbol_kept")


def put_back_with_id(apps, schema_editor):
    schema_editor.execute(
        f"INSERT INTO library_symbol (content_id, {FACTS})"
        f" SELECT content_id, {FACTS} FROM library_symbol_kept ORDER BY content_id, number"
    )
    schema_editor.execute("DROP TABLE library_symbol_kept")


class Migration(migrations.Migration):
    dependencies = [("library", "0016_sync_hint")]

    operations = [
        migrations.RunPython(keep, put_back_with_id),
        migrations.DeleteModel("Symbol"),
        migrations.CreateModel(
            name="Symbol",
            fields=[
                ("pk", models.CompositePrimaryKey("content_id", "number", blank=True, editable=False, primary_key=True, serialize=False)),
                ("number", models.PositiveIntegerField()),
                ("kind", models.CharField(max_length=20)),
                ("scope", models.CharField(blank=True, help_text="Enclosing names, dotted.", max_length=255)),
                ("line", models.PositiveIntegerField()),
                ("end_line", models.PositiveIntegerField()),
                ("lead", models.PositiveIntegerField(help_text="How many lines of comments and decorators stand above its name.", null=True)),
                ("depth", models.PositiveSmallIntegerField(help_text="How many definitions enclose it.", null=True)),
                ("content", models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name="symbols", to="library.content")),
                ("name", models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.PROTECT, to="library.symbolname")),
            ],
        ),
        migrations.RunPython(put_back, keep_without_id),
    ]
