"""The addresses of the web process. MCP is not among them: nginx sends it to the sidecar."""

from django.contrib import admin
from django.urls import URLPattern, URLResolver, include, path

admin.site.site_header = admin.site.site_title = "Portolan"
admin.site.index_title = "Administration"
handler500 = "web.pages.views.failed"
urlpatterns: list[URLPattern | URLResolver] = [
    path("", include("web.pages.urls")),
    path("", include("web.accounts.urls")),
    path("blog/", include("web.library.posts.urls")),
    path("webhooks/", include("web.library.webhooks.urls")),
    path("operations/", include("web.operations.urls")),
    path("admin/", admin.site.urls),
]
