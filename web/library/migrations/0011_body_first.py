"""Put the body before the home in SQLite's full-text tables, which makes them a quarter smaller.

FTS5 writes the number of a column into every entry of a posting list, unless it is the first. The
tables hold no text that could be copied. So the index is emptied here, and made anew by the next
sync of each repository, which is marked as stale until then. Other databases keep their index.
"""

from django.db import migrations, models
from django.utils import timezone

LEAN = "content='', columnsize=0"
WORDS = "tokenize=\"porter unicode61 tokenchars '_'\""
NAMES = "content='', columnsize=0, detail=none, tokenize='trigram'"
REASON = "The index has to be made anew after an upgrade. Sync the repository."

DROP = [
    "search_code_terms",
    "search_documents_terms",
    "search_code",
    "search_documents",
    "search_names",
]


def made_anew(columns):
    """Return what empties the index and makes its full-text tables with these columns."""

    def make(apps, schema_editor):
        if schema_editor.connection.vendor != "sqlite":
            return

        def rows_of(name):
            model = apps.get_model("library", name)
            return model.objects.using(schema_editor.connection.alias)

        for name in ("Entry", "Ref", "Symbol", "SymbolName", "Chunk", "Content"):
            rows_of(name).all().delete()
        rows_of("Repository").filter(synced_at__isnull=False).update(
            stale_since=timezone.now(), sync_error=REASON
        )
        rows_of("IndexState").update(generation=models.F("generation") + 1)
        for table in DROP:
            schema_editor.execute(f"DROP TABLE {table}")
        for table in ("search_code", "search_documents"):
            schema_editor.execute(
                f"CREATE VIRTUAL TABLE {table} USING fts5({columns}, {LEAN}, {WORDS})"
            )
            schema_editor.execute(
                f"CREATE VIRTUAL TABLE {table}_terms USING fts5vocab({table}, 'row')"
            )
        schema_editor.execute(f"CREATE VIRTUAL TABLE search_names USING fts5(folded, {NAMES})")

    return make


class Migration(migrations.Migration):
    dependencies = [("library", "0010_postgres_search")]
    operations = [migrations.RunPython(made_anew("body, home"), made_anew("home, body"))]
