#!/usr/bin/env python3
"""Checks the links and anchors within a built site: docs/site/check.py FOLDER.

It names each broken one with its page, and exits with 1.
"""

import html.parser
import pathlib
import sys
import urllib.parse


class Page(html.parser.HTMLParser):
    """What a page links to, and the anchors that it has."""

    def __init__(self, text):
        super().__init__()
        self.links, self.anchors = [], {"", "top"}
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name in ("href", "src") and value is not None and tag != "base":
                self.links.append(value)
            elif name == "id" or (name == "name" and tag == "a"):
                self.anchors.add(value)


def wrong(site, pages, name, link):
    """Why a link of a page leads nowhere, or None."""
    url = urllib.parse.urlsplit(link)
    if url.scheme or url.netloc:
        return None
    path = name.parent.joinpath(urllib.parse.unquote(url.path)).resolve() if url.path else name
    path = path / "index.html" if path.is_dir() else path
    if not path.is_relative_to(site) or not path.is_file():
        return "there is no such file"
    if path in pages and urllib.parse.unquote(url.fragment) not in pages[path].anchors:
        return "the page has no such anchor"
    return None


def main():
    site = pathlib.Path(sys.argv[1]).resolve()
    pages = {path: Page(path.read_text()) for path in sorted(site.rglob("*.html"))}
    links = [(name, link) for name, page in pages.items() for link in dict.fromkeys(page.links)]
    broken = [(name, link, why) for name, link in links if (why := wrong(site, pages, name, link))]
    for name, link, why in broken:
        print(f"{name.relative_to(site)}: `{link}`: {why}", file=sys.stderr)
    if broken or not links:
        sys.exit(f"error: {len(broken)} of {len(links)} links of {len(pages)} pages are broken")
    print(f"{len(pages)} pages, {len(links)} links: all lead somewhere")


main()
