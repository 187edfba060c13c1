# The geometric means of each group as bars: an allocator's multiples of the best peer.
#
# Called by plots.py with these variables:
#   out, folder      the picture, and where the data are: seconds.txt and peak_kib.txt, a group a line
#   names, colors    lists of equal length, separated by blanks; hepta is the first
#   top              the end of the axis; a longer bar has its number at its end

set terminal svg size 1080,400 dynamic enhanced background "#ffffff" font "Helvetica,13"
set output out
set encoding utf8

ink = "#24292f"
quiet = "#57606a"
count = words(names)
name(i) = word(names, i)
width = 0.84 / count
place(line, i) = line + (i - (count + 1) / 2.0) * width

# hepta's bars have their numbers, inside where there is room.
inside(value) = value > top * 0.13

set border 1 linecolor rgb "#afb8c1"
set yrange [0:top]
set xrange [-0.55:*]
set ytics 0.5 scale 0 textcolor rgb quiet format "%.1f"
set xtics scale 0 textcolor rgb ink offset 0, 0.2
set grid ytics linetype 1 linecolor rgb "#e4e7eb" linewidth 1
unset key
set style fill solid 1 noborder
set boxwidth width * 0.9

set multiplot
set tmargin at screen 0.73
set bmargin at screen 0.09
set label 1 "{/:Bold Time and peak memory by group, as multiples of the best peer}" \
    at screen 0.022, screen 0.945 font ",18" textcolor rgb ink
set label 2 "Geometric mean over the group’s rows; the best of Debian’s allocators in each row is 1. Lower is better." \
    at screen 0.022, screen 0.89 textcolor rgb quiet
do for [i = 1:count] {
    at = 0.022 + (i - 1) * 0.098
    set label 10 + i name(i) at screen at + 0.014, screen 0.832 textcolor rgb ink noenhanced
    set object 10 + i rectangle at screen at + 0.003, screen 0.832 size screen 0.009, screen 0.024 \
        front fillcolor rgb word(colors, i) fillstyle solid 1 noborder
}

do for [half = 0:1] {
    if (half == 1) { unset label; do for [i = 1:count] { unset object 10 + i } }
    set lmargin at screen (half == 0 ? 0.045 : 0.54)
    set rmargin at screen (half == 0 ? 0.49 : 0.985)
    file = folder . (half == 0 ? "/seconds.txt" : "/peak_kib.txt")
    set label 3 (half == 0 ? "{/:Bold Time}" : "{/:Bold Peak RSS}") at graph 0, screen 0.765 \
        left textcolor rgb ink
    set arrow 1 from graph 0, first 1 to graph 1, first 1 nohead front linewidth 1.2 linecolor rgb "#57606a"
    plot file using 0:(-1):xtic(1) with points pointtype -1, \
        for [i = 1:count] file using (place($0, i)):(column(i + 1) < top ? column(i + 1) : top) \
            with boxes linecolor rgb word(colors, i), \
        for [i = 2:count] file using (place($0, i)):(column(i + 1) > top ? top * 0.985 : NaN): \
            (sprintf("%.1f", column(i + 1))) with labels rotate by 90 right font ",10" \
            textcolor rgb "#ffffff", \
        file using (place($0, 1)):(inside($2) ? top * 0.018 : NaN):(sprintf("%.2f", $2)) \
            with labels rotate by 90 left font ",11" textcolor rgb "#ffffff", \
        file using (place($0, 1)):(inside($2) ? NaN : $2 + top * 0.018):(sprintf("%.2f", $2)) \
            with labels rotate by 90 left font ",11" textcolor rgb word(colors, 1)
}
unset multiplot
