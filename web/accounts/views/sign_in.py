"""Signing up, in and out; forgotten passwords."""

import logging
from collections.abc import Callable
from contextvars import copy_context
from typing import Any

from django.contrib import messages
from django.contrib.auth import login
from django.contrib.auth import views as auth_views
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.urls import reverse_lazy
from django.views import View

from web.accounts.forms import ResetRequestForm, SignUpForm
from web.accounts.lockout import pause_end
from web.accounts.records import Actor
from web.accounts.services.audit import audit_write
from web.accounts.services.invitations import invitation_accept, invitation_email
from web.accounts.throttle import count_request
from web.core.errors import InvalidInput, NotFound, TooManyRequests
from web.core.limits import LIMITS

logger = logging.getLogger(__name__)

_INVITATION = "accounts.invitation"
_BACKEND = "django.contrib.auth.backends.ModelBackend"


def address_of(request: HttpRequest) -> str:
    """Return the caller's address: the peer's, or what a trusted proxy said of it."""
    return str(request.META.get("REMOTE_ADDR", ""))


def actor_of(request: HttpRequest) -> Actor:
    """Return the signed-in user of a request as an actor."""
    return Actor.of(request.user, address=address_of(request))


def _gone(request: HttpRequest, error: NotFound) -> HttpResponse:
    return render(request, "accounts/invitation_gone.html", {"error": error}, status=404)


class SignInView(auth_views.LoginView):
    """The sign-in page; failures slow further ones down (`web.accounts.lockout`)."""

    template_name = "accounts/sign_in.html"


class SignOutView(auth_views.LogoutView):
    """Ends the session; only by POST, so no link can do it."""


class InvitationView(View):
    """Where the link of an invitation leads: keeps the secret out of the sign-up page's address."""

    def get(self, request: HttpRequest, secret: str) -> HttpResponse:
        """Remember the invitation in the session and go on to the sign-up page."""
        try:
            invitation_email(secret=secret)
        except NotFound as error:
            return _gone(request, error)
        request.session[_INVITATION] = secret
        return redirect("accounts:sign_up")


class SignUpView(View):
    """Makes the account that the remembered invitation allows, and signs it in."""

    def dispatch(self, request: HttpRequest, *arguments: Any, **options: Any) -> Any:
        """Answer 404 with an explanation when there is no invitation that works."""
        self.secret = request.session.get(_INVITATION, "")
        try:
            self.email = invitation_email(secret=self.secret)
        except NotFound as error:
            return _gone(request, error)
        return super().dispatch(request, *arguments, **options)

    def get(self, _request: HttpRequest) -> HttpResponse:
        """Show the form."""
        return self._page(SignUpForm())

    def post(self, request: HttpRequest) -> HttpResponse:
        """Make the account, or show the form again with what is wrong."""
        form = SignUpForm(request.POST)
        if not form.is_valid():
            return self._page(form)
        try:
            user = invitation_accept(
                secret=self.secret,
                username=form.cleaned_data["username"],
                password=form.cleaned_data["password"],
                time_zone=form.cleaned_data["time_zone"],
                address=address_of(request),
            )
        except InvalidInput as error:
            for field, problem in error.fields.items():
                form.add_error(field, problem)
            return self._page(form)
        except NotFound as error:  # somebody else used it just now
            return _gone(request, error)
        request.session.pop(_INVITATION, None)
        login(request, user, backend=_BACKEND)
        messages.success(request, "Welcome. Your account is ready.")
        return redirect("accounts:account")

    def _page(self, form: SignUpForm) -> HttpResponse:
        context = {"form": form, "email": self.email}
        return render(
            self.request, "accounts/sign_up.html", context, status=422 if form.errors else 200
        )


class _RedirectFirst(HttpResponseRedirect):
    """A redirect after whose sending, when servers close it, something is done that may take long.

    What fails then is in the log with the id of the request; nobody is there to be told.
    """

    def __init__(self, redirect_to: str, *, then: Callable[[], None]) -> None:
        super().__init__(redirect_to)
        self._then, self._context = then, copy_context()

    def close(self) -> None:
        """Do it, once, and end the request."""
        if self.closed:
            return
        try:
            self._context.run(self._then)
        except Exception:
            logger.exception("what was to be done after an answer failed")
        finally:
            super().close()


class ResetRequestView(auth_views.PasswordResetView):
    """Asks for a link to set a new password.

    The answer is the same for every address and takes as long: accounts are looked up, and mails
    sent, once it is on its way.
    """

    template_name = "accounts/password_reset.html"
    email_template_name = "accounts/email/password_reset.txt"
    subject_template_name = "accounts/email/password_reset_subject.txt"
    form_class = ResetRequestForm
    success_url = reverse_lazy("accounts:password_reset_sent")

    def post(self, request: HttpRequest, *arguments: Any, **options: Any) -> HttpResponse:
        """Send the mail, or answer 429 to who asks too often."""
        address = address_of(request)
        try:
            count_request(
                kind="password_reset", address=address, limit=LIMITS.max_password_resets_per_hour
            )
        except TooManyRequests as error:
            response = render(request, "accounts/slow_down.html", {"error": error}, status=429)
            response["Retry-After"] = str(error.retry_after_seconds)
            return response
        actor = Actor(user_id=None, username="", address=address)
        audit_write(actor=actor, action="password.reset_requested")
        return super().post(request, *arguments, **options)

    def form_valid(self, form: Any) -> HttpResponse:
        """Answer, and send the mail behind it."""

        def mail() -> None:
            form.save(
                subject_template_name=self.subject_template_name,
                email_template_name=self.email_template_name,
                request=self.request,
            )

        return _RedirectFirst(str(self.success_url), then=mail)


class ResetSentView(auth_views.PasswordResetDoneView):
    """Says that a mail is on its way if there is such an account."""

    template_name = "accounts/password_reset_sent.html"


class ResetConfirmView(auth_views.PasswordResetConfirmView):
    """Sets a new password with the link of the mail, which works once."""

    template_name = "accounts/password_reset_confirm.html"
    success_url = reverse_lazy("accounts:sign_in")

    def form_valid(self, form: Any) -> HttpResponse:
        """Set the password, write it into the audit, and end a pause for its account."""
        response = super().form_valid(form)
        pause_end(form.user.get_username())
        actor = Actor.of(form.user, address=address_of(self.request))
        audit_write(actor=actor, action="password.reset")
        messages.success(self.request, "Your new password is set. Sign in with it.")
        return response


class PasswordChangeView(auth_views.PasswordChangeView):
    """Changes the password of who is signed in; other sessions of the account end."""

    template_name = "accounts/password_change.html"
    success_url = reverse_lazy("accounts:account")

    def form_valid(self, form: Any) -> HttpResponse:
        """Change the password and write it into the audit."""
        response = super().form_valid(form)
        audit_write(actor=actor_of(self.request), action="password.changed")
        messages.success(self.request, "Your password is changed.")
        return response
