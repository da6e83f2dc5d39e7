#!/usr/bin/env python3
"""The licences of all that is linked into the programs, as text: python3 dist/notices.py > NOTICES.txt

A library's own licence files are what it wants to be passed on. Crates with the same text are named above it together.
"""
import json, pathlib, subprocess, sys

FILES = ("licen", "copying", "notice", "copyright", "unlicense")


def linked(metadata):
    """The packages that the default members need to run, by their identifiers."""
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
    found, waiting = set(), list(metadata["workspace_default_members"])
    while waiting:
        package = waiting.pop()
        if package not in found:
            found.add(package)
            needed = nodes[package]["deps"]
            waiting += [one["pkg"] for one in needed if any(kind["kind"] is None for kind in one["dep_kinds"])]
    return found


def texts(package):
    """The licence files of a package; of one without, the names of its licences."""
    folder = pathlib.Path(package["manifest_path"]).parent
    files = sorted(file for file in folder.iterdir() if file.is_file() and file.name.lower().startswith(FILES))
    if not files:
        return [f"{package['license']}, by {', '.join(package['authors']) or 'its authors'}: {package['repository']}"]
    return [file.read_text(errors="replace").strip() for file in files]


def main():
    host = subprocess.run(["rustc", "-vV"], capture_output=True, text=True, check=True).stdout
    target = next(line.split()[1] for line in host.splitlines() if line.startswith("host:"))
    command = ["cargo", "metadata", "--format-version", "1", "--locked", "--filter-platform", target]
    metadata = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)
    needed = linked(metadata)
    crates = {}
    for package in metadata["packages"]:
        # Our own are under the licences beside this file.
        if package["id"] in needed and package["source"] is not None:
            for text in texts(package):
                crates.setdefault(text, []).append(f"{package['name']} {package['version']}")
    if not crates:
        sys.exit("no package was found that is linked: is this the repository's root?")
    for text, names in sorted(crates.items(), key=lambda item: item[1]):
        print("=" * 80, *sorted(names), "-" * 80, text, "", sep="\n")


main()
