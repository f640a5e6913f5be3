# title: Lookups per microsecond against how far ahead rows are asked for
# needs: prefetch_speed
# shows: prefetch_speed
height = 430
load "style.gp"
load tables."/values.gp"
lookups = tables."/prefetch_speed.tsv"
stats lookups using 1:2 name "speed" nooutput
stats lookups using 4 name "band" nooutput
stats lookups using (only($1 == 0, $2)) name "none" nooutput
named(x, y) = exists("value_prefetch_best_distance") ? x == value_prefetch_best_distance : y == speed_max_y
# A logarithmic axis has no zero: "no prefetch" is one step before one row.
place(x) = x == 0 ? 0.5 : x

top_edge = 36; bottom_edge = height - 62; right_edge = width - 24
y_title = "lookups per microsecond"
load "frame.gp"
set logscale x 2
eval x_range(0.35, speed_max_x * 1.1)
eval y_range(0, larger(1.15 * speed_max_y, 1.03 * band_max))
set xtics ("not" 0.5)
set for [k = 0:10] xtics add (sprintf("%d", 2**k) 2.0**k)
set xlabel "rows asked for ahead" offset 0,0.9 textcolor rgb quiet
set arrow from 0.35,none_max to speed_max_x * 1.1,none_max nohead linewidth 1 dashtype quoted_dash linecolor rgb quiet
plot lookups using (place($1)):3:4 with filledcurves fillcolor rgb blue, \
     lookups using (place($1)):2 with linespoints pointtype circle pointsize 0.7 linewidth 2 linecolor rgb blue, \
     lookups using (only(named($1, $2), place($1))):2:(digits($2)) with labels font near textcolor rgb blue, \
     lookups using (only($1 == 0, place($1))):2:(digits($2)) with labels font near textcolor rgb blue
