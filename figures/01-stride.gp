# title: Time for each float against the stride
# needs: stride_dram stride_dram_sum stride_near stride_near_sum stride_dram_predicted
# shows: stride_dram stride_dram_sum stride_near stride_near_sum stride_dram_predicted
# The colour says where the floats are, the marker what the loop does with them.
height = 494
load "style.gp"
curves = "stride_dram stride_dram_sum stride_near stride_near_sum"
look_stride_dram = "memory circle measured_dash"
look_stride_dram_sum = "memory triangle long_dash"
look_stride_near = "green circle measured_dash"
look_stride_near_sum = "green triangle long_dash"
array names[4] = ["loads from DRAM", "one sum from DRAM", "loads from a near cache", "one sum from a near cache"]
predicted = tables."/stride_dram_predicted.tsv"
lowest = 1e30; highest = 0
do for [i = 1:words(curves)] {
  stats series(i) using 1:2 name "curve" nooutput
  lowest = smaller(lowest, curve_min_y); highest = larger(highest, curve_max_y)
}
right_edge = width - 24; top_edge = 36; bottom_edge = height - 62
y_title = "time for each float used, ns"
load "frame.gp"
do for [i = 1:words(curves)] { eval key(names[i], point(i), colour(i)) }
eval key("lines from DRAM, predicted", modelled_point, memory)
set logscale xy
eval x_range(curve_min_x / 1.1, curve_max_x * 1.1)
eval powers_on_x
eval y_range(lowest / 1.6, highest * 1.6)
eval decades_on("y", "1 2 5")
set xlabel "stride, floats" offset 0,0.9 textcolor rgb quiet
plot for [i = 1:words(curves)] series(i) using 1:3:4 with filledcurves fillcolor rgb colour(i), \
     predicted using 1:2 with linespoints pointtype modelled_point pointsize 0.7 linewidth 1.4 dashtype modelled_dash \
       linecolor rgb memory, \
     for [i = 1:words(curves)] series(i) using 1:2 with linespoints pointtype point(i) pointsize 0.7 linewidth 1.8 \
       dashtype dash(i) linecolor rgb colour(i)
