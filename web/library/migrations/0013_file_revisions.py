"""Let the refs of a repository share what stands at a path; an entry only says which it shows.

Entries that agreed in everything but the ref become one revision, so that the index stays as it is.
"""

import django.db.models.deletion
from django.db import migrations, models

from web.library.database import without_rowid

FACTS = "path_id, oid, kind, size, language, content_id, skip_reason"
KINDS = [
    ("file", "File"),
    ("symlink", "Symbolic link"),
    ("submodule", "Submodule"),
    ("lfs_pointer", "Git LFS pointer"),
    ("binary", "Binary file"),
]
# A revision has the id of the first entry that showed it.
SHARED = f"""
CREATE TABLE library_entry_kept AS
SELECT id, ref_id, {FACTS}, min(id) OVER (PARTITION BY repository_id, {FACTS}) AS revision_id
FROM library_entry
JOIN (SELECT id AS shown_by, repository_id FROM library_ref) AS ref ON shown_by = ref_id
"""
REVISIONS = f"""
INSERT INTO library_filerevision (id, {FACTS})
SELECT id, {FACTS} FROM library_entry_kept WHERE id = revision_id ORDER BY id
"""
ENTRIES = """
INSERT INTO library_entry (ref_id, path_id, revision_id)
SELECT ref_id, path_id, revision_id FROM library_entry_kept ORDER BY ref_id, path_id
"""
OWN = """
CREATE TABLE library_entry_kept AS
SELECT entry.ref_id, revision.* FROM library_entry AS entry
JOIN library_filerevision AS revision ON revision.id = entry.revision_id
"""
OWN_ENTRIES = f"""
INSERT INTO library_entry (ref_id, {FACTS}) SELECT ref_id, {FACTS} FROM library_entry_kept
"""


def share(apps, schema_editor):
    schema_editor.execute(SHARED)
    schema_editor.execute(REVISIONS)
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(
            "SELECT setval(pg_get_serial_sequence('library_filerevision', 'id'), max(id))"
            " FROM library_filerevision HAVING max(id) > 0"
        )


def show(apps, schema_editor):
    without_rowid(schema_editor, "library_entry")
    schema_editor.execute(ENTRIES)
    schema_editor.execute("DROP TABLE library_entry_kept")


def show_own(apps, schema_editor):
    schema_editor.execute(OWN)


def share_nothing(apps, schema_editor):
    schema_editor.execute(OWN_ENTRIES)
    schema_editor.execute("DROP TABLE library_entry_kept")


class Migration(migrations.Migration):
    dependencies = [("library", "0012_entry_path")]

    operations = [
        migrations.CreateModel(
            name="FileRevision",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("oid", models.CharField(max_length=64)),
                ("kind", models.CharField(choices=KINDS, default="file", max_length=12)),
                ("size", models.BigIntegerField(default=0, help_text="Bytes; of the real object for LFS.")),
                ("language", models.CharField(blank=True, max_length=40)),
                ("skip_reason", models.CharField(blank=True, max_length=60)),
                ("content", models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name="revisions", to="library.content")),
                ("path", models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, to="library.path")),
            ],
        ),
        migrations.RunPython(share, share_nothing),
        migrations.DeleteModel("Entry"),
        migrations.CreateModel(
            name="Entry",
            fields=[
                ("pk", models.CompositePrimaryKey("ref_id", "path_id", blank=True, editable=False, primary_key=True, serialize=False)),
                ("ref", models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name="entries", to="library.ref")),
                ("path", models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, to="library.path")),
                ("revision", models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name="entries", to="library.filerevision")),
            ],
        ),
        migrations.RunPython(show, show_own),
    ]
