"""The full-text table of posts: FTS5 in SQLite, a vector with its index in PostgreSQL."""

from django.db import migrations

CREATE = {
    "sqlite": [
        "CREATE VIRTUAL TABLE posts_fulltext USING fts5("
        "title, heading, body, tokenize=\"unicode61 tokenchars '_'\")",
    ],
    "postgresql": [
        "CREATE TABLE posts_fulltext (section_id bigint PRIMARY KEY"
        " REFERENCES posts_postsection ON DELETE CASCADE, vector tsvector NOT NULL)",
        "CREATE INDEX posts_fulltext_vector ON posts_fulltext USING gin (vector)",
    ],
}


def create_table(apps, schema_editor):
    for statement in CREATE[schema_editor.connection.vendor]:
        schema_editor.execute(statement)


def drop_table(apps, schema_editor):
    schema_editor.execute("DROP TABLE posts_fulltext")


class Migration(migrations.Migration):
    dependencies = [("posts", "0001_initial")]
    operations = [migrations.RunPython(create_table, drop_table)]
