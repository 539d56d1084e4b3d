"""The addresses that code hosts send their events to."""

from django.urls import path

from web.library.webhooks.forges import FORGES
from web.library.webhooks.views import receive

urlpatterns = [
    path(f"{name}/", receive, {"forge": forge}, name=f"webhook-{name}")
    for name, forge in FORGES.items()
]
