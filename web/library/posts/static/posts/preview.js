// Shows beside the body of a post how its page will look, while one types.
"use strict";

function readable(address) {
  try {
    return decodeURI(address);
  } catch {
    return address;
  }
}

document.addEventListener("DOMContentLoaded", () => {
  const body = document.querySelector("textarea[data-preview-url]");
  if (!body) return;

  const panel = document.createElement("section");
  panel.className = "post-preview";
  panel.setAttribute("aria-label", "Preview");
  panel.tabIndex = 0;
  body.closest(".form-row").append(panel);

  const slug = body.form.querySelector("[name=slug]");
  const token = body.form.querySelector("[name=csrfmiddlewaretoken]").value;
  let pending = null;
  let timer = null;

  async function show() {
    pending?.abort();
    pending = new AbortController();
    try {
      const response = await fetch(body.dataset.previewUrl, {
        method: "POST",
        headers: { "X-CSRFToken": token },
        body: new URLSearchParams({ body: body.value, slug: slug?.value ?? "" }),
        signal: pending.signal,
      });
      // The server has made it safe; see web.core.markup.
      if (response.ok) panel.innerHTML = await response.text();
      tellMissingImages();
      panel.toggleAttribute("data-stale", !response.ok);
    } catch (error) {
      if (error.name !== "AbortError") panel.toggleAttribute("data-stale", true);
    }
  }

  // Readers see the text of such an image, and a link that leads nowhere.
  function tellMissingImages() {
    for (const link of panel.querySelectorAll("a.missing-image")) {
      const missing = document.createElement("strong");
      missing.className = "post-preview-missing";
      missing.textContent = ` No image at ${readable(link.getAttribute("href"))}: posts keep no `
        + "files. Use the address of one that this site serves.";
      link.after(missing);
    }
  }

  body.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(show, 300);
  });
  show();
});
