"""The addresses of the pages for staff."""

from django.urls import path

from web.operations import views

app_name = "operations"
urlpatterns = [
    path("usage/", views.usage, name="usage"),
    path("health/", views.health, name="health"),
]
