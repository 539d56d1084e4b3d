"""The Atom feed of the blog (RFC 4287), with the whole text of each post."""

from collections.abc import Sequence
from typing import Any

from django.utils.feedgenerator import Atom1Feed
from django.utils.xmlutils import SimplerXMLGenerator

from web.library.posts.records import PostPage


class _FullTextFeed(Atom1Feed):
    def add_item_elements(self, handler: SimplerXMLGenerator, item: dict[str, Any]) -> None:
        """Add the text of the post as content, besides its summary."""
        super().add_item_elements(handler, item)
        attributes = {"type": "html", "xml:base": item["link"]}
        handler.addQuickElement("content", item["html"], attributes)


def blog_feed(pages: Sequence[PostPage], *, site_url: str) -> str:
    """Return the feed of these posts; relative addresses count from the post."""
    feed = _FullTextFeed(
        title="Portolan: blog",
        link=f"{site_url}/blog/",
        description="",
        language="en",
        feed_url=f"{site_url}/blog/feed.xml",
    )
    for page in pages:
        post = page.post
        feed.add_item(
            title=post.title,
            link=post.url,
            description=post.summary,
            unique_id=post.url,
            author_name=post.author or "Portolan",
            pubdate=post.published_at,
            updateddate=max(post.updated_at, post.published_at),
            categories=post.tags,
            html=page.html,
        )
    return feed.writeString("utf-8")
