"""stage.py FOLDER: writes the pages of the repository there, fitted to the site, and its settings.

The pages are written to be read in the repository. Links to sources, which are not on the site, lead to
the repository. Titles and the order of the sections of both books are those of their files.
"""

import os
import posixpath
import re
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
TOP = HERE.parent.parent
SETTINGS = (HERE / "zensical.toml").read_text()
REPOSITORY = re.search(r'^repository = "(.*)"', (TOP / "Cargo.toml").read_text(), re.M)[1]
# Only what git knows: no notes, and no builds.
FILES = subprocess.run(["git", "ls-files"], cwd=TOP, check=True, capture_output=True, text=True).stdout.splitlines()
FOLDERS = {folder.as_posix() for name in FILES for folder in Path(name).parents}

GUIDE = ["guide/README", "guide/look-up", "guide/find", "guide/draw", "diff", "guide/ci", "guide/keep",
         "guide/share", "guide/git", "guide/damage", "states", "write", "run", "deploy"]
REFERENCE = ["query", "packages", "convert", "history", "hub", "xpp", "cache", "limits", "performance", "performance/peers",
             "performance/notes"]
READERS = ["spec/readers/python/README.md", "spec/readers/js/README.md", "spec/readers/go/README.md"]
LIBRARIES = {"coconut-format": "coconut_format", "coconut-codec": "coconut_codec"}

# Code, which stays as it is; `[text](target)` or its end; a section of a book. Targets have no spaces and
# no parentheses here.
LINK = re.compile(r"`+[^`]*`+|(?P<text>\[[^\]`]*)?\]\((?P<target>[^()\s]+)\)|§(?P<section>\d+(?:\.\d+)*)")
HEADING = re.compile(r"#+ (\d+(?:\.\d+)*) .*")


def is_page(name):
    """Whether a file is on the site under its own name."""
    path = Path(name)
    if path.suffix in (".png", ".svg"):
        return path.parts[0] == "docs"
    return path.suffix == ".md" and (len(path.parts) == 1 or path.parts[0] in ("docs", "spec"))


PAGES = {name for name in FILES if is_page(name)}


def book(folder):
    """The sections of a book in their order, then its other pages."""
    pages = sorted(name for name in PAGES if Path(name).parent == Path(folder))
    return sorted(pages, key=lambda name: not name.endswith("README.md"))


def sections():
    """The place of each numbered heading of the books: §5.8 is `spec/format/05-payload.md#58-directory`."""
    found = {}
    for page in book("spec/format") + book("spec/model"):
        for line in (TOP / page).read_text().split("\n"):
            if heading := HEADING.fullmatch(line):
                words = re.sub(r"[^\w\s-]", "", line.lstrip("#")).strip().lower()
                anchor = re.sub(r"[-\s]+", "-", words)
                found[heading[1]] = f"{page}#{anchor}"
    return found


def target_on_site(folder, target):
    if "://" in target or target.startswith("#"):
        return target
    path, mark, anchor = target.partition("#")
    path = posixpath.normpath(posixpath.join(folder, path))
    readme = posixpath.join(path, "README.md")
    if path in PAGES:
        return target
    if readme in PAGES:
        return os.path.relpath(readme, folder or ".") + mark + anchor
    if path in FILES:
        return f"{REPOSITORY}/blob/main/{path}{mark}{anchor}"
    if path in FOLDERS:
        return f"{REPOSITORY}/tree/main/{path}"
    sys.exit(f"{folder or '.'}: the link {target} leads nowhere")


def fitted(name, text, places):
    """The text of a page with links that lead to something from the site, those to sections included."""
    folder = posixpath.dirname(name)

    def link(found):
        if target := found["target"]:
            return f"{found['text'] or ''}]({target_on_site(folder, target)})"
        if place := places.get(found["section"]):
            return f"[{found[0]}]({os.path.relpath(place, folder or '.')})"
        return found[0]

    in_code = False
    lines = []
    for line in text.split("\n"):
        if line.lstrip().startswith("```"):
            in_code = not in_code
        if not in_code and not line.startswith("#"):
            line = LINK.sub(link, line)
        lines.append(line)
    return "\n".join(lines)


def navigation():
    chapters = {
        "Guide": [f"docs/{name}.md" for name in GUIDE],
        "Reference": [f"docs/{name}.md" for name in REFERENCE] + ["SECURITY.md", "CHANGELOG.md"],
        "Format": book("spec/format") + ["spec/vectors/README.md"],
        "Model": book("spec/model"),
        "Libraries": ["docs/server.md", "docs/embed.md", *READERS, "ARCHITECTURE.md", "CONTRIBUTING.md"],
    }
    listed = {page for pages in chapters.values() for page in pages}
    left = {name for name in PAGES if name.endswith(".md")} - listed - {"README.md", "spec/README.md"}
    if left:
        sys.exit(f"stage.py does not list {', '.join(sorted(left))}")
    lines = ['{ "Coconut" = "README.md" }']
    for title, pages in chapters.items():
        entries = [f'"{page}"' for page in pages]
        if title == "Libraries" and not os.environ.get("WITHOUT_RUSTDOC"):
            entries += [f'{{ "{name}" = "rust/{module}/index.html" }}' for name, module in LIBRARIES.items()]
        lines.append(f'{{ "{title}" = [{", ".join(entries)}] }}')
    lines.append(f'{{ "Repository" = "{REPOSITORY}" }}')
    return "nav = [\n  " + ",\n  ".join(lines) + ",\n]\n"


def main():
    stage = Path(sys.argv[1])
    places = sections()
    for name in sorted(PAGES):
        to = stage / "pages" / name
        to.parent.mkdir(parents=True, exist_ok=True)
        if name.endswith(".md"):
            to.write_text(fitted(name, (TOP / name).read_text(), places))
        else:
            shutil.copyfile(TOP / name, to)
    # The listing belongs to the table that the settings begin with.
    (stage / "zensical.toml").write_text(SETTINGS.replace("docs_dir =", navigation() + "docs_dir =", 1))


main()
