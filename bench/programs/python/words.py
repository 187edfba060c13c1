"""words.py COUNT: a text of COUNT words, counted, indexed, sorted and taken apart: strings, lists, dicts, sets."""

import random
import sys
from collections import Counter, defaultdict, deque


def make_words(count):
    chooser = random.Random(1)
    letters = "etaoinshrdlucmfwypvbgkjqxz"
    vocabulary = [
        "".join(letters[int(26 * chooser.random() ** 2)] for _ in range(1 + i % 12))
        for i in range(count // 8 + 10)
    ]
    return [vocabulary[int(len(vocabulary) * chooser.random() ** 3)] for _ in range(count)]


def index_of(words):
    """For each word the places where it stands, as (line, column)."""
    index, line, column = defaultdict(list), 0, 0
    for word in words:
        index[word].append((line, column))
        column += len(word) + 1
        if column > 70:
            line, column = line + 1, 0
    return index


def followers(words):
    """For each word the words that came after it, as a dict of dicts."""
    after = {}
    for first, second in zip(words, words[1:]):
        table = after.setdefault(first, {})
        table[second] = table.get(second, 0) + 1
    return after


def windows(words, width):
    """The longest run of words without a repetition, and the total length of the windows' texts."""
    window, inside, longest, letters = deque(), set(), 0, 0
    for word in words:
        while word in inside or len(window) > width:
            inside.discard(window.popleft())
        window.append(word)
        inside.add(word)
        longest = max(longest, len(window))
        letters += len(" ".join(window))
    return longest, letters


class Node:
    __slots__ = ("children", "count")

    def __init__(self):
        self.children = {}
        self.count = 0


def tree_of(words):
    """A tree of letters; the number of its nodes, and of its leaves."""
    root, nodes = Node(), 0
    for word in words:
        node = root
        for letter in word:
            if letter not in node.children:
                node.children[letter] = Node()
                nodes += 1
            node = node.children[letter]
        node.count += 1
    leaves, stack = 0, [root]
    while stack:
        node = stack.pop()
        stack.extend(node.children.values())
        leaves += not node.children
    return nodes, leaves


def main():
    words = make_words(int(sys.argv[1]))
    counts = Counter(words)
    print(len(counts), sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:5])
    index = index_of(words)
    print(sum(line * column for places in index.values() for line, column in places[::7]))
    after = followers(words)
    print(len(after), max((len(table), word) for word, table in after.items()))
    print(windows(words, 40))
    print(tree_of(words))
    text = " ".join(words)
    parts = [part.strip().title() for part in text.replace("e", "3").split("a")]
    print(len(text), len(parts), len("".join(sorted(parts))))
    groups = {}
    for word in counts:
        groups.setdefault("".join(sorted(word)), []).append(word)
    print(len(groups), max(len(group) for group in groups.values()))


main()
