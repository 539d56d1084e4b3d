"""The full-text tables of the SQLite search backend; other databases have their own."""

from django.db import migrations

# Without stored text, which is in the mirrors, and without the lengths of rows: chunks are of one
# size by construction, and ranking without lengths takes half the time.
LEAN = "content='', columnsize=0"
WORDS = "tokenize=\"porter unicode61 tokenchars '_'\""

CREATE = [
    f"CREATE VIRTUAL TABLE search_code USING fts5(home, body, {LEAN}, {WORDS})",
    f"CREATE VIRTUAL TABLE search_documents USING fts5(home, body, {LEAN}, {WORDS})",
    f"CREATE VIRTUAL TABLE search_names USING fts5(folded, {LEAN}, detail=none, tokenize='trigram')",
    "CREATE VIRTUAL TABLE search_code_terms USING fts5vocab(search_code, 'row')",
    "CREATE VIRTUAL TABLE search_documents_terms USING fts5vocab(search_documents, 'row')",
]
DROP = [
    "search_documents_terms",
    "search_code_terms",
    "search_names",
    "search_documents",
    "search_code",
]


def create_tables(apps, schema_editor):
    if schema_editor.connection.vendor == "sqlite":
        for statement in CREATE:
            schema_editor.execute(statement)


def drop_tables(apps, schema_editor):
    if schema_editor.connection.vendor == "sqlite":
        for name in DROP:
            schema_editor.execute(f"DROP TABLE {name}")


class Migration(migrations.Migration):
    dependencies = [("library", "0001_initial")]
    operations = [migrations.RunPython(create_tables, drop_tables)]
