"""The form of a repository in the admin: it refuses what the services would refuse."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from web.core.errors import InvalidInput, PortolanError
from web.library.git.remotes import check_address
from web.library.models import Repository
from web.library.services.credentials import credential_check
from web.library.services.repositories import RepositoryFields, check_fields

SERVICE_FIELDS = (
    *("title", "description", "visibility", "position"),
    *("documentation_globs", "exclude_globs", "tracked_refs", "tracked_refs_newest"),
)
CREDENTIAL_FIELDS = ("new_token", "token_username", "new_key", "forget_credential")


def fields_of(cleaned: dict[str, Any]) -> RepositoryFields:
    """Return the checked values as services take them."""
    return RepositoryFields(**{name: cleaned[name] for name in SERVICE_FIELDS})


class LinesField(forms.CharField):
    """A list of texts, one a line."""

    widget = forms.Textarea(attrs={"rows": 4, "cols": 60})

    def __init__(self, **options: Any) -> None:
        super().__init__(required=False, strip=False, **options)

    def prepare_value(self, value: Any) -> Any:
        """Show a list as lines."""
        return "\n".join(value) if isinstance(value, list) else value

    def clean(self, value: Any) -> list[str]:
        """Return the lines that are not blank."""
        text = super().clean(value) or ""
        return [line.strip() for line in text.splitlines() if line.strip()]

    def has_changed(self, initial: Any, data: Any) -> bool:
        """Compare as lists."""
        return bool((initial or []) != self.clean(data))


class UnshownTextarea(forms.Textarea):
    """Lines that are never sent back to the browser."""

    def format_value(self, value: Any) -> str:  # noqa: ARG002 - the signature is Django's
        """Show nothing."""
        return ""


class RepositoryForm(forms.ModelForm):  # type: ignore[type-arg]
    """A repository as an operator edits it."""

    documentation_globs = LinesField(
        help_text="Which files are documentation, one pattern a line as in .gitignore; empty for "
        "README*, *.md, *.mdx, *.rst, *.adoc, *.ipynb, and *.txt in doc, docs or documentation."
    )
    exclude_globs = LinesField(help_text="Which files are not indexed, one pattern a line.")
    tracked_refs = LinesField(help_text="Further tags and branches to index, such as v*.")
    new_token = forms.CharField(
        required=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "off"}),
        help_text="For an https address: a token that may read the repository. Stored encrypted.",
    )
    token_username = forms.CharField(
        required=False, help_text="User name beside the token; x-access-token when left empty."
    )
    new_key = forms.CharField(
        required=False,
        widget=UnshownTextarea(attrs={"rows": 4, "cols": 60, "autocomplete": "off"}),
        help_text="For an ssh address: a private key without a passphrase. Stored encrypted. The "
        "action “Make an ssh key” of the list makes one.",
    )
    forget_credential = forms.BooleanField(required=False, help_text="Forget what is stored.")

    class Meta:
        model = Repository
        fields = ["name", "url", *SERVICE_FIELDS]

    def clean_url(self) -> str:
        """Refuse what is no address of a repository."""
        url: str = self.cleaned_data["url"].strip()
        try:
            check_address(url)
        except PortolanError as error:
            raise ValidationError(str(error)) from None
        return url

    def clean(self) -> dict[str, Any]:
        """Refuse what the services would refuse."""
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        if not self.errors:
            try:
                check_fields(fields_of(cleaned))
            except InvalidInput as error:
                for field in error.fields or ("url",):
                    self.add_error(field, str(error))
            self._check_credential(cleaned)
        return cleaned

    def _check_credential(self, cleaned: dict[str, Any]) -> None:
        field = "new_key" if cleaned["new_key"] else "new_token"
        if not cleaned[field]:
            return
        try:
            credential_check(
                url=cleaned.get("url", self.instance.url),
                secret=cleaned[field],
                username=cleaned["token_username"],
            )
        except InvalidInput as error:
            self.add_error("token_username" if "username" in error.fields else field, str(error))
