"""pages.py SCALE: pages.ps, a document in PostScript: text in several fonts, curves, images, patterns, shadings."""

import random
import sys

chooser = random.Random(7)
WIDTH, HEIGHT = 595, 842
FONTS = ["Times-Roman", "Times-Italic", "Helvetica-Bold", "Courier", "Bookman-Light", "Palatino-Bold"]

PROLOGUE = """%!PS-Adobe-3.0
/show-line { moveto { show 2 0 rmoveto } forall } bind def
/table 1000 dict def
/remember { table exch dup length string copy dup length put } bind def
"""


def number(least, most):
    return f"{chooser.uniform(least, most):.2f}"


def point():
    return f"{number(40, WIDTH - 40)} {number(40, HEIGHT - 40)}"


def colour():
    return f"{number(0, 1)} {number(0, 1)} {number(0, 1)} setrgbcolor"


def word():
    return "".join(chooser.choices("etaoinshrdlucm", k=chooser.randint(2, 9)))


def text(lines):
    yield f"/{chooser.choice(FONTS)} findfont {number(7, 12)} scalefont setfont 0 setgray"
    for line in range(lines):
        if line % 15 == 14:
            yield f"/{chooser.choice(FONTS)} findfont [{number(8, 14)} 0 {number(0, 4)} {number(8, 14)} 0 0] makefont setfont"
        words = " ".join(f"({word()})" for _ in range(12))
        yield f"[{words}] 50 {780 - 11 * line} show-line ({word()}) remember"


def curves(count):
    for _ in range(count):
        yield f"gsave newpath {point()} moveto"
        for _ in range(chooser.randint(2, 9)):
            yield f"{point()} {point()} {point()} curveto"
        kind = chooser.randrange(4)
        if kind == 0:
            yield f"closepath {colour()} eofill"
        elif kind == 1:
            yield f"[{number(1, 9)} {number(1, 9)}] 0 setdash {number(0.3, 4)} setlinewidth {colour()} stroke"
        elif kind == 2:
            yield f"closepath clip newpath {point()} {number(30, 200)} 0 360 arc {colour()} fill"
        else:
            yield f"{number(1, 8)} setlinewidth 1 setlinecap strokepath {colour()} fill"
        yield "grestore"


def image(side):
    yield f"gsave {point()} translate {number(40, 140)} {number(40, 140)} scale /line {side * 3} string def"
    yield f"{side} {side} 8 [{side} 0 0 -{side} 0 {side}] {{ currentfile line readhexstring pop }} false 3 colorimage"
    for _ in range(side):
        yield chooser.randbytes(side * 3).hex()
    yield "grestore"


def shading():
    yield "gsave << /ShadingType 3 /ColorSpace /DeviceRGB /Extend [true false]"
    yield f"/Coords [{point()} 5 {point()} {number(40, 200)}]"
    yield f"/Function << /FunctionType 2 /Domain [0 1] /N {number(1, 3)}"
    yield f"/C0 [{number(0, 1)} {number(0, 1)} 0] /C1 [1 {number(0, 1)} {number(0, 1)}] >> >> shfill grestore"


def pattern():
    yield "gsave << /PatternType 1 /PaintType 1 /TilingType 1 /BBox [0 0 12 12] /XStep 12 /YStep 12"
    yield f"/PaintProc {{ pop {colour()} 6 6 {number(2, 5)} 0 360 arc fill }} bind >> matrix makepattern setpattern"
    yield f"{point()} {number(60, 200)} {number(60, 200)} rectfill grestore"


def page():
    yield from shading()
    yield from curves(60)
    yield from pattern()
    yield from image(chooser.randint(16, 90))
    yield from text(62)
    yield "showpage"


with open("pages.ps", "w") as file:
    file.write(PROLOGUE)
    for _ in range(max(1, round(25 * float(sys.argv[1])))):
        file.write("\n".join(page()) + "\n")
