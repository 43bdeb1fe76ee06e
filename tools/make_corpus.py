#!/usr/bin/env python3
"""Makes a corpus of markdown files of about 1 KB each, 1,000 by default, to measure `ibid build` on.

    python3 tools/make_corpus.py OUT [FILES]
    time target/release/ibid build OUT -o OUT.ibid

Each file is put together from sections of this project's documentation and handbook, the same on every run.
"""

import pathlib
import random
import re
import sys

BYTES_A_FILE = 1000


def sections(root):
    """Headings with the text below them, from every document."""
    for path in sorted([*root.glob("docs/*.md"), *root.glob("www/handbook/*.md")]):
        text = re.sub(r"\A---\n.*?\n---\n", "", path.read_text(encoding="utf-8"), flags=re.S)
        for part in re.split(r"^(?=#+ )", text, flags=re.M):
            heading, _, body = part.partition("\n")
            if heading.startswith("#") and body.strip():
                yield heading.lstrip("# "), body.strip()


def main():
    out = pathlib.Path(sys.argv[1])
    files = int(sys.argv[2]) if len(sys.argv) > 2 else 1000
    out.mkdir(parents=True, exist_ok=True)
    known = list(sections(pathlib.Path(__file__).resolve().parent.parent))
    choose = random.Random(1)
    total = 0
    for number in range(files):
        text = f"# Document {number}\n"
        while len(text) < BYTES_A_FILE:
            heading, body = choose.choice(known)
            text += f"\n## {heading}\n\n{body[: BYTES_A_FILE - len(text) + 100]}\n"
        (out / f"{number:04}.md").write_text(text, encoding="utf-8")
        total += len(text.encode())
    print(f"{files} files, {total} bytes")


if __name__ == "__main__":
    main()
