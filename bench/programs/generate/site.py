"""site.py FILES: /0 to /FILES-1, pages of text from 200 bytes to 200 kB, most of them short."""

import random
import sys

chooser = random.Random(8)
words = ["".join(chooser.choices("etaoinshrdlucm", k=chooser.randint(2, 9))) for _ in range(2000)]

for number in range(int(sys.argv[1])):
    length = int(200 * 1000 ** (chooser.random() ** 1.5))
    text = ["<html><body>"]
    while length > 0:
        text.append(f"<p class='{chooser.choice(words)}'>{' '.join(chooser.choices(words, k=30))}</p>")
        length -= len(text[-1])
    with open(str(number), "w") as file:
        file.write("\n".join(text))
