"""What the checks need to know of C: where the comments are, where the code is, which files there are."""

import re
from pathlib import Path

LEXEME = re.compile(r"""/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'""", re.DOTALL)


def blank(text):
    """Spaces of the same shape: line numbers and columns stay true."""
    return re.sub(r"[^\n]", " ", text)


class Source:
    """A C file, split into two texts of the same shape: its code and its comments."""

    def __init__(self, path, root):
        self.path = path
        self.name = str(path.relative_to(root))
        self.text = path.read_text()
        self.lines = self.text.splitlines()
        code, comments, end = [], [], 0
        for match in LEXEME.finditer(self.text):
            between, lexeme = self.text[end : match.start()], match.group()
            is_comment = lexeme.startswith("/")
            code += [between, blank(lexeme) if is_comment else lexeme]
            comments += [blank(between), lexeme if is_comment else blank(lexeme)]
            end = match.end()
        self.code = "".join(code) + self.text[end:]
        self.comments = "".join(comments) + blank(self.text[end:])

    def code_without_strings(self):
        return LEXEME.sub(lambda m: blank(m.group()), self.code)

    def line_of(self, position):
        return self.text.count("\n", 0, position) + 1


def sources(root, *folders):
    """The .c and .h files below some folders of the tree, in a stable order."""
    paths = sorted(p for f in folders for p in (root / f).rglob("*.[ch]") if p.is_file())
    return [Source(path, root) for path in paths]


def report(name, problems):
    """Prints the problems as file:line: text, and says by the exit status whether there were any."""
    for problem in problems:
        print(problem)
    if problems:
        print(f"{name}: {len(problems)} problem{'s' if len(problems) > 1 else ''}")
        return 1
    print(f"{name}: ok")
    return 0


def root_from(arguments):
    return Path(arguments[1] if len(arguments) > 1 else ".").resolve()
