# title: The thirty fastest of 1024 candidates in one round of measurements, and what they are in the others
# needs: curse_seen curse_again
# shows: curse_seen curse_again
height = 430
load "style.gp"
seen = tables."/curse_seen.tsv"
again = tables."/curse_again.tsv"
stats seen using 2 name "seen" nooutput
stats again using 2 name "again" nooutput
lowest = smaller(smaller(seen_min, again_min), 1) * 100
highest = larger(larger(seen_max, again_max), 1) * 100
top_edge = 36; bottom_edge = height - 62; right_edge = width - 30
y_title = "speed over the tile by hand, %"
load "frame.gp"
set xrange [0:31]
eval y_range(lowest - 1, highest + 1 + 0.1 * (highest - lowest))  # room for a label above the highest
set xtics ("1" 1, "10" 10, "20" 20, "30" 30)
set xlabel "place in the first round" offset 0,0.9 textcolor rgb quiet
set arrow from 0,100 to 31,100 nohead linewidth 1.6 linecolor rgb quiet
plot again using 1:($2 * 100) with points pointtype diamond pointsize 0.75 linecolor rgb purple, \
     seen using 1:($2 * 100) with points pointtype circle pointsize 0.7 linecolor rgb green, \
     seen using (only($0 == 5, $1)):($2 * 100):("in the round that chose them") with labels left font near textcolor rgb green, \
     again using (only($0 == 16, $1)):($2 * 100):("in the other rounds") with labels left font near textcolor rgb purple
