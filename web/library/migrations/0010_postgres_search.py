"""The full-text tables of the PostgreSQL search backend, and the index on parts of names."""

from django.core.management import CommandError
from django.db import Error, migrations

# A vector holds the stems of a text with their positions; a long text has several parts. The
# counts say in how many texts a stem stands; the empty stem counts all texts. Vectors stand in
# their rows and are not compressed: ranking unpacks a vector once for every word of a query.
CREATE = """
CREATE TABLE {table} (
    text_id bigint NOT NULL,
    part integer NOT NULL,
    vector tsvector NOT NULL,
    PRIMARY KEY (text_id, part)
) WITH (toast_tuple_target = 8160);
ALTER TABLE {table} ALTER COLUMN vector SET STORAGE EXTERNAL;
CREATE INDEX {table}_vector ON {table} USING gin (vector);
CREATE TABLE {table}_terms (
    term text COLLATE "C" PRIMARY KEY,
    text_count bigint NOT NULL
) WITH (fillfactor = 70);
"""
TABLES = ("search_code", "search_documents")


def create_tables(apps, schema_editor):
    if schema_editor.connection.vendor != "postgresql":
        return
    schema = trigram_schema(schema_editor.connection)
    for table in TABLES:
        schema_editor.execute(CREATE.format(table=table))
    schema_editor.execute(
        "CREATE INDEX search_names ON library_symbolname"
        f" USING gin (folded {schema_editor.quote_name(schema)}.gin_trgm_ops)"
    )


def trigram_schema(connection):
    """Return the schema that holds pg_trgm, which is created where this role may do so."""
    with connection.cursor() as cursor:
        try:
            cursor.execute("CREATE EXTENSION IF NOT EXISTS pg_trgm")
        except Error as error:
            raise CommandError(
                "The search needs PostgreSQL's extension pg_trgm and may not create it here"
                f" ({str(error).splitlines()[0]}). Let an administrator of the server run"
                f" \"CREATE EXTENSION pg_trgm\" in the database {connection.settings_dict['NAME']}"
                " (Debian has it in the package postgresql, others in postgresql-contrib),"
                " then migrate again."
            ) from error
        cursor.execute(
            "SELECT nspname FROM pg_extension JOIN pg_namespace ON pg_namespace.oid = extnamespace"
            " WHERE extname = 'pg_trgm'"
        )
        return cursor.fetchone()[0]


def drop_tables(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute("DROP INDEX search_names")
        for table in TABLES:
            schema_editor.execute(f"DROP TABLE {table}, {table}_terms")


class Migration(migrations.Migration):
    dependencies = [("library", "0009_remote_credential")]
    operations = [migrations.RunPython(create_tables, drop_tables)]
