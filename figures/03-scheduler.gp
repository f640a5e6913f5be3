# title: Rows in flight against the additions for each row
# needs: rows_waiting rows_ready
# shows: rows_waiting rows_ready
height = 430
load "style.gp"
load tables."/values.gp"
curves = "rows_waiting rows_ready"
look_rows_waiting = "ink  circle   measured_dash 'all wait for the row'"
look_rows_ready   = "grey triangle long_dash     'none waits'"
stats series(1) using 1:2 name "wait" nooutput
stats series(2) using 2 name "ready" nooutput
have_places = exists("value_scheduler_places")
places = have_places ? value_scheduler_places : 1
# Another load is on its way as long as the waiting additions leave a place.
stairs(additions) = have_places ? 1 + floor((places - 1) / additions) : NaN

top_edge = 36; bottom_edge = height - 62; right_edge = width - 24
y_title = "rows in flight"
load "frame.gp"
set logscale xy
eval x_range(wait_min_x / 1.1, wait_max_x * 1.1)
eval y_range(smaller(0.6, smaller(wait_min_y, ready_min) / 1.2), larger(wait_max_y, ready_max) * 1.3)
eval powers_on_x
set ytics ("1" 1, "2" 2, "3" 3, "4" 4, "8" 8, "16" 16, "32" 32)
set xlabel "additions for each row" offset 0,0.9 textcolor rgb quiet
set samples 2000
plot for [i = 1:2] series(i) using 1:3:4 with filledcurves fillcolor rgb colour(i), \
     stairs(x) with lines linewidth 1.6 dashtype modelled_dash linecolor rgb purple, \
     for [i = 1:2] series(i) using 1:2 with linespoints pointtype point(i) pointsize 0.6 linewidth 1.8 \
       dashtype dash(i) linecolor rgb colour(i), \
     series(1) using (only($1 == 16, $1)):2:(title(1)) with labels font near textcolor rgb colour(1), \
     series(2) using (only($1 == 64, $1)):2:(title(2)) with labels font near textcolor rgb colour(2)
