# title: Speed against the depth of the block, and the traffic that a model predicts
# needs: block_depth block_traffic
# shows: block_depth block_traffic
height = 576
load "style.gp"
load tables."/values.gp"
speed = tables."/block_depth.tsv"
traffic = tables."/block_traffic.tsv"
stats speed using 1:2 name "speed" nooutput
stats speed using 3 name "slow" nooutput
stats speed using 4 name "fast" nooutput
stats traffic using 2 name "traffic" nooutput
chosen = value_block_depth_chosen
peak = exists("value_peak_during_blocks_gflops") ? value_peak_during_blocks_gflops : value_peak_fp32_gflops
right_edge = width - 24
set logscale x
eval x_range(speed_min_x / 1.15, speed_max_x * 1.15)

set multiplot
top_edge = 36; bottom_edge = 308
y_title = "measured speed, GFLOP/s"
load "frame.gp"
set grid noxtics
# Does not begin at zero, because the differences are small.
eval y_range(smaller(slow_min, speed_min_y) * 0.94, larger(peak, fast_max) * 1.04)
set xtics ("" x_min)
set arrow 1 from chosen,y_min to chosen,y_max nohead linewidth 1.4 dashtype modelled_dash linecolor rgb ink
set arrow 2 from x_min,peak to x_max,peak nohead linewidth 2.4 linecolor rgb quiet
set label sprintf("peak, %s", digits(peak)) at x_min * 1.05,peak left font along textcolor rgb quiet
set label sprintf("the model’s choice, %.0f", chosen) at chosen,y_min + 0.08 * (y_max - y_min) right font near textcolor rgb ink
plot speed using 1:3:4 with filledcurves fillcolor rgb compute, \
     speed using 1:2 with linespoints pointtype circle pointsize 0.6 linewidth 2 linecolor rgb compute

unset label
unset arrow 2
top_edge = 360; bottom_edge = height - 62
y_title = "bytes past L2 for 1000 FLOPs, modelled"
load "frame.gp"
set logscale y
eval y_range(traffic_min / 1.7, traffic_max * 1.5)
eval decades_on("y", "1 2 5")
set arrow 1 from chosen,y_min to chosen,y_max nohead linewidth 1.4 dashtype modelled_dash \
  linecolor rgb ink
set for [k = 2:12] xtics add (sprintf("%.0f", 2.0**k) 2.0**k)
set xlabel "depth of the block (its area stays the same)" offset 0,0.9 textcolor rgb quiet
plot traffic using 1:2 with linespoints pointtype modelled_point pointsize 0.7 linewidth 1.4 dashtype modelled_dash \
       linecolor rgb memory
unset multiplot
