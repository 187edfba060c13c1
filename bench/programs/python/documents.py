"""documents.py COUNT: COUNT documents are written as JSON, read back, changed and compared: json, copy, dicts."""

import copy
import json
import random
import sys

chooser = random.Random(2)


def text(longest):
    return "".join(chooser.choices("abcdefghij \u00e4\u20ac\"\\", k=chooser.randint(1, longest)))


def document(number):
    return {
        "id": number,
        "title": text(60),
        "tags": [text(12) for _ in range(chooser.randint(0, 8))],
        "size": {"width": chooser.random() * 100, "height": chooser.randint(1, 10**12)},
        "parts": [
            {"name": text(20), "value": chooser.choice([None, True, chooser.random(), text(200)])}
            for _ in range(chooser.randint(0, 12))
        ],
        "note": text(600),
    }


def change(one):
    other = copy.deepcopy(one)
    other["tags"].append(other["title"][::-1])
    other["parts"] = other["parts"][1:]
    other["size"]["depth"] = len(other["note"])
    return other


def main():
    count, kept, total_bytes, different = int(sys.argv[1]), [], 0, 0
    for begin in range(0, count, 100):
        batch = [document(number) for number in range(begin, min(begin + 100, count))]
        written = json.dumps(batch, indent=1 if begin % 200 else None, ensure_ascii=begin % 300 == 0)
        total_bytes += len(written.encode())
        read = json.loads(written)
        if read != batch:
            raise SystemExit("what was read is not what was written")
        for one in read:
            other = change(one)
            different += other != one
            if one["id"] % 5 == 0:
                kept.append(json.dumps(other, sort_keys=True))
    lines = "\n".join(kept)
    again = [json.loads(line) for line in lines.split("\n")]
    print(count, total_bytes, different, len(lines), sum(len(one["tags"]) for one in again))


main()
