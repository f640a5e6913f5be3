# title: Time per number against the share that goes the long way
# needs: divergence_vector divergence_sorted divergence_scalar divergence_model
# shows: divergence_vector divergence_sorted divergence_scalar divergence_model
height = 500
load "style.gp"
curves = "divergence_scalar divergence_vector divergence_sorted"
look_divergence_scalar = "grey  triangle long_dash     'one at a time'"
look_divergence_vector = "ink   circle   measured_dash vectors"
look_divergence_sorted = "green diamond  measured_dash 'vectors, sorted'"
model = tables."/divergence_model.tsv"
stats series(1) using 2 name "slow" nooutput
stats series(2) using 2 name "fast" nooutput
capped(y) = y > slow_max * 1.6 ? slow_max * 1.6 : y

top_edge = 36; bottom_edge = height - 62; right_edge = width - 24
y_title = "time per number, ns"
load "frame.gp"
set logscale y
set xrange [-1.5:100.1]  # the first mark is clear of the axis, and the last is inside in spite of rounding
eval y_range(fast_min / 1.6, slow_max * 1.6)
eval decades_on("y", "1 2 5")
set xlabel "numbers that go the long way, %" offset 0,0.9 textcolor rgb quiet
plot for [i = 1:3] series(i) using 1:3:(capped($4)) with filledcurves fillcolor rgb colour(i), \
     model using 1:2 with lines linewidth 2 dashtype modelled_dash linecolor rgb purple, \
     for [i = 1:3] series(i) using 1:2 with linespoints pointtype point(i) pointsize 0.6 linewidth 1.8 \
       dashtype dash(i) linecolor rgb colour(i), \
     for [i = 1:3] series(i) using (only($1 == 40, $1)):2:(title(i)) with labels font near textcolor rgb colour(i), \
     model using (only($1 == 60, $1)):2:("modelled: any lane, both ways") with labels font near textcolor rgb purple
