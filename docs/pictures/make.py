#!/usr/bin/env python3
"""Pictures of the screens, from the real program: python3 docs/pictures/make.py PROGRAM

The program is started in tmux with an empty store, keys are pressed, and what then stands on the terminal is written as NAME.svg beside
this file. moving.svg shows a bench from the first screen to the verdict. The quick bench is run first, and at the end a sweep and a few kills and power losses, so it takes some minutes; the figures are
those of the machine it runs on. Needs tmux and the package rich.
"""
import os, pathlib, subprocess, sys, tempfile, time
from xml.sax.saxutils import escape
from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from rich.terminal_theme import MONOKAI
from rich.text import Text

HERE = pathlib.Path(__file__).parent
WIDTH, HEIGHT = 120, 34
# What is waited for, the name of the picture that is taken then, and the keys that are pressed after it.
STEPS = [
    ("Plan:", "bench", ["Enter"]),
    ("leads in", "live", ["v"]),
    ("p99", "test", []),
    ("✓ done", None, ["c"]),
    ("geometric mean", "matrix", ["Enter"]),
    ("‹table›", "compare", ["v"]),
    ("‹latencies›", "latencies", ["3"]),
    ("3 configurations", "results", ["Enter"]),
    ("10 runs", None, ["Enter"]),
    ("Over time", "run", ["5"]),
    ("Ledger", None, ["Down", "BSpace", "Enter"]),
    ("the trial is over", "tune", ["6"]),
    ("published", "claims", []),
]
# What is run beside the screens then, and the pictures of that.
BESIDE = [
    ["run", "--suite", "kv", "--engine", "sqlite:journal_mode=wal", "--set", "sqlite.synchronous=full|normal", "--set", "sqlite.page_size=4096|1024|16384",
     "--size", "1000", "--repeat", "8"],
    ["torture", "sqlite:journal_mode=wal,synchronous=full|normal|off", "lmdb", "redb", "--kills", "5", "--power", "60", "--mutants", "0"],
]
LATER = [
    ("published", None, [":", "compare session=last", "Enter"]),
    ("geometric mean", None, ["v"]),
    ("‹sweep›", "sweep", ["Escape", "7"]),
    ("evidenced", "torture", ["3", "Q"]),
    ("SQL", None, ["F5"]),
    ("Answer", "sql", []),
]
PATIENCE = 60
# The moving picture: what is waited for, for how long that screen stands, and the keys that are pressed after it. While it is waited for, there
# is a frame every half second.
FRAME = 0.5
SCENES = [
    ("Plan:", 2, ["Enter"]),
    ("✓ done", 2, ["c"]),
    ("geometric mean", 3, ["Enter"]),
    ("‹table›", 6, []),
]
MOVING_WIDTH, MOVING_HEIGHT = 100, 30
# A cell of the terminal in the moving picture, and the size of its font.
CELL = (8.4, 18)
FONT = 14


def places(folder):
    return {"DBDYNO_STORE": f"{folder}/results.duckdb", "DBDYNO_CONFIG": f"{folder}/config", "DBDYNO_WORK_DIR": f"{folder}/work"}


class Terminal:
    def __init__(self, command, folder, width=WIDTH, height=HEIGHT):
        self.socket = ["tmux", "-L", f"dbdyno-pictures-{os.getpid()}", "-f", "/dev/null"]
        variables = [f"-e{name}={value}" for name, value in {**places(folder), "COLORTERM": "truecolor", "LANG": "C.UTF-8"}.items()]
        self.run("new-session", "-d", "-x", str(width), "-y", str(height), *variables, command)
        self.run("set", "-g", "default-terminal", "tmux-256color")

    def run(self, *arguments):
        return subprocess.run([*self.socket, *arguments], check=True, capture_output=True, text=True).stdout

    def press(self, key):
        # As somebody presses it who has seen what is there.
        time.sleep(0.5)
        self.run("send-keys", key)

    def wait_for(self, text):
        until = time.monotonic() + PATIENCE
        while text not in (screen := self.run("capture-pane", "-p")):
            if time.monotonic() > until:
                sys.exit(f"`{text}` did not appear within {PATIENCE} s on the screen:\n{screen}")
            time.sleep(0.2)

    def picture(self, name):
        with open(os.devnull, "w") as nowhere:
            console = Console(record=True, width=WIDTH, height=HEIGHT, file=nowhere, force_terminal=True, color_system="truecolor")
            for line in self.run("capture-pane", "-e", "-p").splitlines():
                console.print(Text.from_ansi(line), soft_wrap=True)
            console.save_svg(str(HERE / f"{name}.svg"), title="dbdyno", theme=MONOKAI, unique_id=name)

    def take(self, steps):
        for text, name, keys in steps:
            self.wait_for(text)
            time.sleep(0.5)
            if name:
                self.picture(name)
            for key in keys:
                self.press(key)

    def frames(self, scenes):
        """The screens of a moving picture: the lines of each, with its seconds."""
        frames = []
        for text, seconds, keys in scenes:
            until = time.monotonic() + PATIENCE
            while text not in self.run("capture-pane", "-p"):
                if time.monotonic() > until:
                    sys.exit(f"`{text}` did not appear within {PATIENCE} s")
                frames.append((self.run("capture-pane", "-e", "-p").splitlines(), FRAME))
                time.sleep(FRAME)
            time.sleep(0.5)
            frames.append((self.run("capture-pane", "-e", "-p").splitlines(), seconds))
            for key in keys:
                self.press(key)
        return frames

    def end(self):
        self.run("kill-server")


def row(console, line):
    """A line of the terminal at the origin: a rectangle for each background, a text for each run of a style."""
    (wide, high), at, out = CELL, 0, []
    for segment in Segment.simplify(console.render(Text.from_ansi(line))):
        text, style = segment.text.rstrip("\n"), segment.style or Style.null()
        ink, ground = style.color, style.bgcolor
        if style.reverse:
            ink, ground = ground, ink
        colour = lambda of, ours, foreground: (of.get_truecolor(MONOKAI, foreground).hex if of and not of.is_default else ours)
        if ground and not ground.is_default or style.reverse:
            out.append(f'<rect x="{at * wide:g}" width="{len(text) * wide:g}" height="{high}" fill="{colour(ground, "#d9d9d9", False)}"/>')
        if text.strip():
            weight = ' font-weight="bold"' if style.bold else ""
            fill = colour(ink, "#0c0c0c" if style.reverse else "#d9d9d9", True)
            out.append(f'<text x="{at * wide:g}" y="{FONT}" fill="{fill}" textLength="{len(text) * wide:g}"{weight}>{escape(text)}</text>')
        at += len(text)
    return "".join(out)


def moving(frames):
    """An SVG that shows the frames one after the other, over and over. A line that several frames share is written once."""
    console = Console(width=MOVING_WIDTH + 1, color_system="truecolor", force_terminal=True)
    (wide, high), total = CELL, sum(seconds for _, seconds in frames)
    rows, styles, shown, begin = {}, [], [], 0
    for number, (lines, seconds) in enumerate(frames):
        uses = []
        for down, line in enumerate(lines):
            drawn = row(console, line)
            if drawn:
                uses.append(f'<use href="#r{rows.setdefault(drawn, len(rows))}" y="{down * high}"/>')
        part = 100 * seconds / total
        styles.append(f"@keyframes k{number} {{ 0% {{ visibility: visible }} {part:.3f}%, 100% {{ visibility: hidden }} }}"
                      f" #f{number} {{ animation: k{number} {total}s step-end {begin}s infinite }}")
        shown.append(f'<g id="f{number}" class="frame">{"".join(uses)}</g>')
        begin += seconds
    across, down = MOVING_WIDTH * wide, MOVING_HEIGHT * high
    # Who wants no motion sees the last frame.
    still = f"@media (prefers-reduced-motion: reduce) {{ .frame {{ animation: none !important }} #f{len(frames) - 1} {{ visibility: visible !important }} }}"
    defs = "".join(f'<g id="r{number}">{drawn}</g>' for drawn, number in rows.items())
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="-12 -12 {across + 24:g} {down + 24}" role="img"'
            f' aria-label="A bench in dbdyno, from the first screen to the verdict"><style>text {{ font: {FONT}px monospace; white-space: pre }}'
            f' .frame {{ visibility: hidden }} {" ".join(styles)} {still}</style><defs>{defs}</defs>'
            f'<rect x="-12" y="-12" width="{across + 24:g}" height="{down + 24}" rx="8" fill="#0c0c0c"/>{"".join(shown)}</svg>\n')


def main():
    program = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory(prefix="dbdyno-pictures-") as folder:
        terminal = Terminal(program, folder, MOVING_WIDTH, MOVING_HEIGHT)
        try:
            (HERE / "moving.svg").write_text(moving(terminal.frames(SCENES)))
        finally:
            terminal.end()
    with tempfile.TemporaryDirectory(prefix="dbdyno-pictures-") as folder:
        terminal = Terminal(program, folder)
        try:
            terminal.take(STEPS)
            for arguments in BESIDE:
                subprocess.run([program, *arguments], env={**os.environ, **places(folder)}, check=True, capture_output=True)
            terminal.take(LATER)
        finally:
            terminal.end()


main()
