"""A real Chromium writes a post: the preview follows the text, under the strict policy."""

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import expect, sync_playwright

from tests.browser.chromium import ARGUMENTS, installed_chromium
from web.library.posts.models import Post

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]


def test_the_preview_follows_what_is_typed_and_the_post_is_published(live_server, client):
    client.force_login(User.objects.create_superuser("ann"))
    session = client.cookies["sessionid"].value
    complaints = []

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=installed_chromium(), args=ARGUMENTS)
        context = browser.new_context()
        context.add_cookies([{"name": "sessionid", "value": session, "url": live_server.url}])
        page = context.new_page()
        page.on("console", lambda line: complaints.append(line.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(f"{live_server.url}/admin/posts/post/add/")

        preview = page.get_by_role("region", name="Preview")
        page.get_by_label("Body").fill("# Sails\n\n<img src=x onerror='document.title=1'>*big*")
        expect(preview.get_by_role("heading", name="Sails")).to_be_visible()
        page.get_by_label("Body").fill("# Masts\n\n*tall*")
        expect(preview.get_by_role("heading", name="Masts")).to_be_visible()
        expect(preview.get_by_role("emphasis")).to_have_text("tall")

        page.get_by_label("Body").fill("# Masts\n\n*tall* ![a mast](mast.png)")
        expect(preview.get_by_text("No image at /blog/post/mast.png")).to_be_visible()
        page.get_by_label("Body").fill("# Masts\n\n*tall*")
        expect(preview.get_by_role("emphasis")).to_have_text("tall")

        page.get_by_label("Title").fill("Of ships")
        page.get_by_label("Status").select_option("published")
        page.get_by_role("button", name="Save", exact=True).click()
        page.goto(f"{live_server.url}/blog/of-ships/")
        expect(page.get_by_role("heading", name="Masts")).to_be_visible()
        browser.close()

    assert [said for said in complaints if "404" not in said] == []
    assert Post.objects.get().body == "# Masts\n\n*tall*\n"
