"""The addresses that code hosts send their events to, with and without the last slash.

A redirect to the other spelling would lose the event: hosts follow none.
"""

from django.urls import path

from web.library.webhooks.forges import FORGES
from web.library.webhooks.views import receive

urlpatterns = [
    path(f"{name}{slash}", receive, {"forge": forge}, name=f"webhook-{name}")
    for name, forge in FORGES.items()
    for slash in ("", "/")  # the last one is the one that is shown
]
