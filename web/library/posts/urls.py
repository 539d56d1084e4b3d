"""The addresses of the blog."""

from django.urls import path

from web.library.posts import views

app_name = "posts"
urlpatterns = [
    path("", views.post_list, name="list"),
    path("feed.xml", views.feed, name="feed"),
    path("tags/<path:tag>/", views.post_list, name="tag"),
    path("<str:slug>/", views.post, name="post"),
]
