#!/usr/bin/env python3
"""A preprocessor of mdBook: links to what is not on the site lead to GitHub. A link to nothing is an error."""

import json
import pathlib
import re
import sys
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
GITHUB = "https://github.com/dbdyno/dbdyno"
# Fenced blocks and code in a line have no links; the rest of a link is what follows its text.
CODE_OR_LINK = re.compile(r"^ *```.*?^ *```|(`+)(?!`).*?(?<!`)\1(?!`)|\]\(([^)\s]+)\)", re.DOTALL | re.MULTILINE)
broken = []


def target(page, link):
    """Where a link of a page leads on the site."""
    url = urllib.parse.urlsplit(link)
    if url.scheme or not url.path:
        return link
    path = (DOCS / page).parent.joinpath(urllib.parse.unquote(url.path)).resolve()
    if not path.exists() or not path.is_relative_to(ROOT):
        broken.append(f"docs/{page}: `{link}` leads to no file of the project")
    elif not path.is_dir() and path.is_relative_to(DOCS) and path.suffix in {".md", ".svg"}:
        return link
    else:
        name = urllib.parse.quote(path.relative_to(ROOT).as_posix())
        link = f"{GITHUB}/{'tree' if path.is_dir() else 'blob'}/main/{name}"
        link += f"#{url.fragment}" if url.fragment else ""
    return link


def rewrite(items):
    """Rewrites the links of chapters and of those below them."""
    for item in items:
        if isinstance(item, dict) and (chapter := item.get("Chapter")):
            page = chapter["source_path"]
            new = lambda found: f"]({target(page, found[2])})" if found[2] else found[0]
            chapter["content"] = CODE_OR_LINK.sub(new, chapter["content"])
            rewrite(chapter["sub_items"])


# mdBook first asks which renderers are supported: all are.
if sys.argv[1:2] != ["supports"]:
    _, book = json.load(sys.stdin)
    rewrite(book["items"])
    if broken:
        sys.exit("\n".join(broken))
    json.dump(book, sys.stdout)
