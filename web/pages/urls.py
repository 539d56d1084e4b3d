"""The addresses of the pages."""

from django.urls import path

from web.pages import views

app_name = "pages"
urlpatterns = [
    path("", views.home, name="home"),
    path("healthz", views.alive, name="alive"),
]
