# title: The thirty fastest of 1024 candidates in one round of measurements, and what they are in the others
# needs: curse_seen curse_again
# shows: curse_seen curse_again
height = 430
load "style.gp"
seen = tables."/curse_seen.tsv"
again = tables."/curse_again.tsv"
stats seen using 2 name "seen" nooutput
stats again using 2 name "again" nooutput
stats again using (only($2 > again_min, $2)) name "others" nooutput
highest = larger(larger(seen_max, again_max), 1) * 100
next = smaller(smaller(seen_min, others_min), 1) * 100
# A candidate far below all others would squeeze them, so its position is marked instead.
alone = next - 100 * again_min > 0.5 * (highest - next)
lowest = alone ? next : smaller(next, 100 * again_min)
top_edge = 36; bottom_edge = height - 62; right_edge = width - 30
y_title = "speed relative to the hand-picked tile, %"
load "frame.gp"
set xrange [0:31]
eval y_range(lowest - (alone ? 0.1 * (highest - lowest) : 0) - 1, highest + 1)
eval key("in the round that chose them", circle, green)
eval key("in the other rounds", diamond, purple)
set xtics ("1" 1, "10" 10, "20" 20, "30" 30)
set xlabel "place in the first round" offset 0,0.9 textcolor rgb quiet
set arrow from 0,100 to 31,100 nohead linewidth 1.6 linecolor rgb quiet
plot again using 1:($2 * 100) with points pointtype diamond pointsize 0.75 linecolor rgb purple, \
     seen using 1:($2 * 100) with points pointtype circle pointsize 0.7 linecolor rgb green, \
     again using (only(100 * again_min < y_min && $2 == again_min, $1)):(y_min + 0.04 * (y_max - y_min)): \
       (sprintf("↓ %.0f", $2 * 100)) with labels textcolor rgb purple
