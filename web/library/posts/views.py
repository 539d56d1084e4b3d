"""The pages of the blog, and its Atom feed. A view reads selectors and renders."""

from urllib.parse import quote

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import add_never_cache_headers
from django.views.decorators.http import condition, require_safe

from web.core.errors import InvalidInput, NotFound
from web.library.posts.atom import blog_feed
from web.library.selectors.generation import index_generation
from web.library.selectors.posts import post_page, posts_latest, posts_listed

_FEED_POSTS = 20


@require_safe
def post_list(request: HttpRequest, tag: str = "") -> HttpResponse:
    """Show the posts, all or those with a tag, newest first."""
    try:
        found = posts_listed(tag=tag, cursor=request.GET.get("cursor"))
    except InvalidInput:
        raise Http404 from None
    if tag and not found.total_count:
        raise Http404
    return render(request, "posts/list.html", {"found": found, "tag": tag})


@require_safe
def post(request: HttpRequest, slug: str) -> HttpResponse:
    """Show one post; a draft or a later one to those who may see it in the administration."""
    may_see_drafts = request.user.has_perm("posts.view_post")
    try:
        page = post_page(slug=slug, may_see_drafts=may_see_drafts)
    except NotFound:
        raise Http404 from None
    response = render(request, "posts/post.html", {"page": page, "post": page.post})
    if page.is_draft:
        add_never_cache_headers(response)
    return response


def _feed_etag(_request: HttpRequest) -> str:
    newest = posts_latest(limit=1)
    return f'"{index_generation()}-{quote(newest[0].slug) if newest else ""}"'


@require_safe
@condition(etag_func=_feed_etag)
def feed(_request: HttpRequest) -> HttpResponse:
    """Serve the newest posts as an Atom feed (RFC 4287)."""
    pages = [post_page(slug=item.slug) for item in posts_latest(limit=_FEED_POSTS)]
    text = blog_feed(pages, site_url=settings.PUBLIC_URL)
    return HttpResponse(text, content_type="application/atom+xml; charset=utf-8")
