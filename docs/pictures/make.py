#!/usr/bin/env python3
"""Pictures of the screens, from the real program: python3 docs/pictures/make.py PROGRAM

The program is started in tmux with an empty store, keys are pressed, and what then stands on the terminal is written as NAME.svg beside
this file. The quick bench is run first, and at the end a sweep and a few kills and power losses, so it takes some minutes; the figures are
those of the machine it runs on. Needs tmux and the package rich.
"""
import os, pathlib, subprocess, sys, tempfile, time
from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text

HERE = pathlib.Path(__file__).parent
WIDTH, HEIGHT = 120, 34
# What is waited for, the name of the picture that is taken then, and the keys that are pressed after it.
STEPS = [
    ("Plan:", "bench", ["Enter"]),
    ("round 7/10", "live", ["v"]),
    ("p99", "test", []),
    ("✓ done", None, ["c"]),
    ("geometric mean", "matrix", ["Enter"]),
    ("‹table›", "compare", ["v", "v"]),
    ("‹latencies›", "latencies", ["3"]),
    ("3 configurations", "results", ["Enter"]),
    ("10 runs", None, ["Enter"]),
    ("Over time", "run", ["5"]),
    ("Ledger", "tune", ["6"]),
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


def places(folder):
    return {"DBDYNO_STORE": f"{folder}/results.duckdb", "DBDYNO_CONFIG": f"{folder}/config", "DBDYNO_WORK_DIR": f"{folder}/work"}


class Terminal:
    def __init__(self, command, folder):
        self.socket = ["tmux", "-L", f"dbdyno-pictures-{os.getpid()}", "-f", "/dev/null"]
        variables = [f"-e{name}={value}" for name, value in {**places(folder), "COLORTERM": "truecolor", "LANG": "C.UTF-8"}.items()]
        self.run("new-session", "-d", "-x", str(WIDTH), "-y", str(HEIGHT), *variables, command)
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

    def end(self):
        self.run("kill-server")


def main():
    program = os.path.abspath(sys.argv[1])
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
