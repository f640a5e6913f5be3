# title: How much of an array works, by batch and size of the array
# needs: batch_64 batch_128 batch_256 batch_256_single
# shows: batch_64 batch_128 batch_256 batch_256_single
height = 460
load "style.gp"
array ids[4] = ["64", "128", "256", "256_single"]
array names[4] = ["64 × 64", "128 × 128", "256 × 256", "one register"]
array colours[4] = [green, ink, grey, purple]
array points[4] = [12, 8, 4, 6]
file(i) = tables."/batch_".ids[i].".tsv"
stats file(3) using 1 name "batch" nooutput

top_edge = 36; bottom_edge = height - 62; right_edge = width - 112
y_title = "cells at work, %"
load "frame.gp"
set logscale x 2
eval x_range(0.75, batch_max * 1.001)  # the last point is inside in spite of rounding
set yrange [0:104]
set ytics 0,25,100
set xlabel "rows in the batch" offset 0,0.9 textcolor rgb quiet
plot for [i = 1:4] file(i) using 1:2 with linespoints pointtype points[i] pointsize 0.7 linewidth 1.6 \
       dashtype simulated_dash linecolor rgb colours[i], \
     for [i = 1:4] file(i) using (only($1 == batch_max, $1)):2:(names[i]) \
       with labels left font end textcolor rgb colours[i]
