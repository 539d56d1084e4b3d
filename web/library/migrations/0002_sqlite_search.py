"""The full-text tables of the SQLite search backend; other databases have their own."""

from django.db import migrations

TOKENIZER = "tokenize=\"porter unicode61 tokenchars '_'\""

CREATE = [
    f"CREATE VIRTUAL TABLE search_code USING fts5(home, names, body, content='', {TOKENIZER})",
    f"CREATE VIRTUAL TABLE search_documents USING fts5(home, names, body, content='', {TOKENIZER})",
    f"CREATE VIRTUAL TABLE search_paths USING fts5(path, content='', columnsize=0, detail=none, {TOKENIZER})",
    "CREATE VIRTUAL TABLE search_names USING fts5(folded, content='', columnsize=0, detail=none, tokenize='trigram')",
    "CREATE VIRTUAL TABLE search_code_terms USING fts5vocab(search_code, 'row')",
    "CREATE VIRTUAL TABLE search_documents_terms USING fts5vocab(search_documents, 'row')",
    "CREATE VIRTUAL TABLE search_paths_terms USING fts5vocab(search_paths, 'row')",
]
DROP = [
    "search_paths_terms",
    "search_documents_terms",
    "search_code_terms",
    "search_names",
    "search_paths",
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
