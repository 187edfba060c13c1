"""history.py SCALE: history, a stream for git fast-import: files of text that commits change, rename and delete."""

import random
import sys

chooser = random.Random(9)
words = ["".join(chooser.choices("etaoinshrdlucm", k=chooser.randint(2, 9))) for _ in range(3000)]
files = {}
branches = ["refs/heads/main", "refs/heads/side"]


def line():
    return " ".join(chooser.choices(words, k=chooser.randint(3, 12)))


def data(text):
    return f"data {len(text)}\n{text}\n"


def modify(name):
    return f"M 100644 inline {name}\n" + data("\n".join(files[name]) + "\n")


def fresh(number):
    name = f"part{number % 12}/{chooser.choice(words)}{number}.txt"
    files[name] = [line() for _ in range(chooser.randint(5, 300))]
    return modify(name)


def changed():
    name = chooser.choice(list(files))
    lines = files[name]
    for _ in range(chooser.randint(1, 6)):
        place = chooser.randrange(len(lines) + 1)
        lines[place : place + chooser.randrange(3)] = [line() for _ in range(chooser.randint(1, 4))]
    return modify(name)


def moved(number):
    old = chooser.choice(list(files))
    name = f"moved{number % 5}/{number}.txt"
    files[name] = files.pop(old)
    return f"R {old} {name}\n"


def commit(number):
    yield f"commit {branches[number % 7 == 6]}\nmark :{number + 1}\n"
    yield f"committer A <a@b> {1600000000 + number * 3600} +0000\n"
    yield data(f"Change {number}: {line()}\n\n{line()}")
    if number > 0:
        yield f"from :{number}\n"
    yield from (changed() for _ in range(chooser.randint(1, 8) if number else 0))
    yield from (fresh(number) for _ in range(150 if number == 0 else chooser.randrange(2)))
    if number % 10 == 9:
        yield moved(number)


with open("history", "w") as file:
    for number in range(max(60, round(500 * float(sys.argv[1])))):
        file.writelines(commit(number))
