"""The catalogue and the index, as tables.

What is indexed belongs to a blob (`Content` with its `Chunk`s and `Symbol`s), read once however
many repositories, refs and paths hold it. What stands at a path is a `FileRevision`, and a `Ref` is
only a view: its `Entry` rows say which revisions it shows. Full-text tables stand beside these and
belong to the search backends.
"""

from django.core.validators import RegexValidator
from django.db import models

NAME_PATTERN = r"^[a-z0-9][a-z0-9._-]{0,62}$"


class Visibility(models.TextChoices):
    """Who may see a repository."""

    PUBLIC = "public", "Public"
    MEMBERS = "members", "Members"


class Repository(models.Model):
    """A git repository that Portolan mirrors and indexes."""

    name = models.CharField(
        max_length=63,
        unique=True,
        validators=[
            RegexValidator(
                NAME_PATTERN, "Use lowercase letters, digits, dots, hyphens and underscores."
            )
        ],
        help_text="Short name in addresses and tool calls.",
    )
    title = models.CharField(max_length=200, blank=True)
    description = models.TextField(blank=True)
    url = models.CharField(max_length=1000, help_text="https or ssh address, or a local path.")
    visibility = models.CharField(
        max_length=10, choices=Visibility.choices, default=Visibility.PUBLIC
    )
    position = models.PositiveIntegerField(default=0, help_text="Order in lists, lowest first.")
    documentation_globs = models.JSONField(
        default=list, blank=True, help_text="Which files are documentation; empty for the default."
    )
    exclude_globs = models.JSONField(
        default=list, blank=True, help_text="Which files are not indexed."
    )
    tracked_refs = models.JSONField(
        default=list, blank=True, help_text="Patterns of further tags and branches to index."
    )
    tracked_refs_newest = models.PositiveIntegerField(
        default=10, help_text="How many of the matching tags and branches, newest first."
    )
    created_at = models.DateTimeField(auto_now_add=True)
    sync_started_at = models.DateTimeField(null=True, blank=True, editable=False)
    synced_at = models.DateTimeField(null=True, blank=True, editable=False)
    stale_since = models.DateTimeField(null=True, blank=True, editable=False)
    sync_error = models.TextField(blank=True, editable=False, help_text="Shown to everyone.")
    sync_hint = models.TextField(blank=True, editable=False, help_text="Shown to staff.")
    sync_progress = models.JSONField(default=dict, blank=True, editable=False)
    # While the remote refuses the sign-in: since its last refusal it is left alone until then.
    sync_refusals = models.PositiveIntegerField(default=0, editable=False)
    sync_refused_at = models.DateTimeField(null=True, editable=False)
    sync_retry_at = models.DateTimeField(null=True, editable=False)

    class Meta:
        ordering = ["position", "name"]
        verbose_name_plural = "repositories"

    def __str__(self) -> str:
        return self.name


class WebhookSecret(models.Model):
    """What the pushes of a repository are signed with; encrypted, since HMAC needs it itself.

    After a rotation the secret before it goes on working until `previous_until`.
    """

    repository = models.OneToOneField(
        Repository, on_delete=models.CASCADE, related_name="webhook_secret"
    )
    secret = models.TextField(editable=False)
    previous = models.TextField(blank=True, editable=False)
    previous_until = models.DateTimeField(null=True, blank=True, editable=False)
    made_at = models.DateTimeField(editable=False)

    def __str__(self) -> str:
        return f"webhook secret of {self.repository_id}"


class RemoteCredential(models.Model):
    """What a repository's remote is signed in to with; the secret is encrypted.

    `remote` is the scheme, host and port that it is for: it is never sent to another.
    """

    repository = models.OneToOneField(
        Repository, on_delete=models.CASCADE, related_name="credential"
    )
    remote = models.CharField(max_length=300, editable=False)
    username = models.CharField(max_length=200, blank=True, editable=False)
    secret = models.TextField(editable=False)
    public_key = models.TextField(blank=True, editable=False, help_text="Of an ssh key.")
    set_at = models.DateTimeField(editable=False)

    def __str__(self) -> str:
        return f"credential of {self.repository_id}"


class RefKind(models.TextChoices):
    """What a ref is in git."""

    BRANCH = "branch", "Branch"
    TAG = "tag", "Tag"


class Ref(models.Model):
    """One indexed branch or tag of a repository: a view over contents."""

    repository = models.ForeignKey(Repository, on_delete=models.CASCADE, related_name="refs")
    name = models.CharField(max_length=255, help_text="Short name, such as main or v1.0.")
    kind = models.CharField(max_length=10, choices=RefKind.choices)
    is_default = models.BooleanField(default=False)
    commit = models.CharField(max_length=64, blank=True)
    committed_at = models.DateTimeField(null=True)
    indexed_at = models.DateTimeField(null=True)
    rules = models.CharField(
        max_length=64, blank=True, help_text="Fingerprint of the rules it was indexed by."
    )
    # Counts made at indexing time: {"files": n, "indexed": n, "bytes": n,
    # "languages": {name: files}, "skipped": {reason: files}, "documents": n}
    counts = models.JSONField(default=dict)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["repository", "kind", "name"], name="ref_unique"),
            models.UniqueConstraint(
                fields=["repository"],
                condition=models.Q(is_default=True),
                name="ref_one_default",
            ),
        ]

    def __str__(self) -> str:
        return self.name


class Path(models.Model):
    """A distinct path of any repository; never changed, so full-text rows of it stay right."""

    path = models.TextField(unique=True)

    def __str__(self) -> str:
        return self.path


class Content(models.Model):
    """One blob, read in one way: what is indexed of it belongs here.

    `format` says how it was read (a language's name for code, markdown, restructuredtext,
    asciidoc, notebook or plain text for documentation), since the same bytes can be code in one
    place and a document in another. `version` is the version of the rules that it was read by.
    `home` is the repository that brought it first.
    """

    oid = models.CharField(max_length=64)
    format = models.CharField(max_length=40)
    is_document = models.BooleanField(default=False)
    version = models.PositiveSmallIntegerField(default=0)
    home = models.ForeignKey(
        Repository, on_delete=models.DO_NOTHING, db_constraint=False, related_name="+"
    )
    encoding = models.CharField(max_length=40, default="utf-8")
    line_count = models.PositiveIntegerField(default=0)
    title = models.TextField(blank=True, help_text="Title of a document, else empty.")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["oid", "format", "is_document", "version"], name="content_unique"
            )
        ]

    def __str__(self) -> str:
        return f"{self.oid} as {self.format}"


class EntryKind(models.TextChoices):
    """What stands at a path of a tree."""

    FILE = "file", "File"
    SYMLINK = "symlink", "Symbolic link"
    SUBMODULE = "submodule", "Submodule"
    LFS_POINTER = "lfs_pointer", "Git LFS pointer"
    BINARY = "binary", "Binary file"
    FOLDER = "folder", "Folder that is not opened"


class FileRevision(models.Model):
    """What stands at a path, shared by all refs of a repository that have it there.

    Files that are not indexed have no `content` and a `skip_reason` in plain words. A revision
    that no entry shows any more is removed with the last one.
    """

    path = models.ForeignKey(Path, on_delete=models.PROTECT, db_index=False)
    oid = models.CharField(max_length=64)
    kind = models.CharField(max_length=12, choices=EntryKind.choices, default=EntryKind.FILE)
    size = models.BigIntegerField(default=0, help_text="Bytes; of the real object for LFS.")
    language = models.CharField(max_length=40, blank=True)
    content = models.ForeignKey(
        Content, null=True, on_delete=models.PROTECT, related_name="revisions"
    )
    skip_reason = models.CharField(max_length=60, blank=True)

    def __str__(self) -> str:
        return f"{self.path_id} as {self.oid}"


class Entry(models.Model):
    """That one ref shows a revision, at the path of it.

    A large project has thousands per ref, so a row is these three numbers and no more: on SQLite
    the table is its own index. Nothing looks for the entries of a revision but by ref and path.
    """

    pk = models.CompositePrimaryKey("ref_id", "path_id")
    ref = models.ForeignKey(Ref, on_delete=models.CASCADE, related_name="entries", db_index=False)
    path = models.ForeignKey(Path, on_delete=models.PROTECT, db_index=False)
    revision = models.ForeignKey(
        FileRevision,
        on_delete=models.PROTECT,
        db_index=False,
        db_constraint=False,  # each removal would look for entries, without an index
        related_name="entries",
    )

    def __str__(self) -> str:
        return f"{self.ref_id}:{self.path_id}"


class Chunk(models.Model):
    """A searchable piece of a content: a definition, a section, or a window of lines.

    `heading` is the names defined in it (code) or the section's heading (documents); `trail` the
    headings above, outermost first; lines count from 1 and include the last.

    Chunks of a changed file whose heading and lines are as before share the row of the full-text
    tables: `text_id` is that row, `text_digest` tells that they are the same.
    """

    content = models.ForeignKey(Content, on_delete=models.CASCADE, related_name="chunks")
    text_id = models.BigIntegerField(db_index=True)
    text_digest = models.BigIntegerField()
    start_line = models.PositiveIntegerField()
    end_line = models.PositiveIntegerField()
    heading = models.TextField(blank=True)
    trail = models.JSONField(default=list)
    anchor = models.CharField(max_length=200, blank=True)
    level = models.PositiveSmallIntegerField(default=0)

    def __str__(self) -> str:
        return f"{self.content_id}:{self.start_line}-{self.end_line}"


class SymbolName(models.Model):
    """A distinct name of a definition; `folded` is lowercase.

    Names are distinct because there is one writer of the index at a time; an index that says so
    would take as much space as they do.
    """

    name = models.CharField(max_length=255)
    folded = models.CharField(max_length=255, db_index=True)

    def __str__(self) -> str:
        return self.name


class Symbol(models.Model):
    """A definition: function, class, method, constant and so on; the `number`-th of its content.

    On SQLite the table is its own index, as that of entries is.

    `lead` and `depth` are for what a changed file keeps of its definitions; null where the file
    was not parsed without an error, or not all of them are here.
    """

    pk = models.CompositePrimaryKey("content_id", "number")
    content = models.ForeignKey(
        Content,
        on_delete=models.CASCADE,
        db_index=False,
        db_constraint=False,  # written and removed with it; to check each row takes a tenth more
        related_name="symbols",
    )
    number = models.PositiveIntegerField()
    name = models.ForeignKey(SymbolName, on_delete=models.PROTECT, db_constraint=False)
    kind = models.CharField(max_length=20)
    scope = models.CharField(max_length=255, blank=True, help_text="Enclosing names, dotted.")
    line = models.PositiveIntegerField()
    end_line = models.PositiveIntegerField()
    lead = models.PositiveIntegerField(
        null=True, help_text="How many lines of comments and decorators stand above its name."
    )
    depth = models.PositiveSmallIntegerField(
        null=True, help_text="How many definitions enclose it."
    )

    def __str__(self) -> str:
        return f"{self.kind} {self.name_id}"


class IndexState(models.Model):
    """One row: the index generation, raised in the transaction that makes a change visible.

    `has_forgotten` says that the next sync is to look for contents that nothing shows.
    """

    generation = models.BigIntegerField(default=0)
    has_forgotten = models.BooleanField(default=False)

    def __str__(self) -> str:
        return str(self.generation)
