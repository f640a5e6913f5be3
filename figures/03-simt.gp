# title: How busy a multiprocessor is, against the number of its warps
# needs: simt_utilisation_29 simt_utilisation_250 simt_utilisation_700 simt_round_robin_700 simt_bandwidth simt_bandwidth_wide
# shows: simt_utilisation_29 simt_utilisation_250 simt_utilisation_700 simt_round_robin_700 simt_bandwidth simt_bandwidth_wide
# Above, only latency limits arithmetic; below, warps that mostly load share a memory.
height = 790
load "style.gp"
array ids[6] = ["utilisation_29", "utilisation_250", "utilisation_700", "round_robin_700", "bandwidth", "bandwidth_wide"]
array names[6] = ["shared memory", "L2", "HBM", "HBM, round-robin", "4 bytes each", "16 bytes each"]
array colours[6] = [green, ink, memory, purple, grey, memory]
array points[6] = [12, 8, 4, 6, 4, 8]
array places[6] = [12, 8, 28, 44, 44, 16]  # the position of the name
array firsts[2] = [1, 5]
array lasts[2] = [4, 6]
array titles[2] = ["ticks used, %", "share of the bandwidth, %"]
file(i) = tables."/simt_".ids[i].".tsv"
stats file(1) using 1 name "warps" nooutput

right_edge = width - 24
eval x_range(0, warps_max * 1.001)  # the last point is inside in spite of rounding
set yrange [0:116]  # room for names above the curves
set ytics 0,25,100
set xtics 0,8,64
set multiplot
do for [panel = 1:2] {
  top_edge = panel == 1 ? 36 : 440
  bottom_edge = top_edge + 270
  y_title = titles[panel]
  unset label
  load "frame.gp"
  set xlabel "warps in flight" offset 0,0.9 textcolor rgb quiet
  plot for [i = firsts[panel]:lasts[panel]] file(i) using 1:2 with linespoints pointtype points[i] pointsize 0.7 \
         linewidth 1.6 dashtype simulated_dash linecolor rgb colours[i], \
       for [i = firsts[panel]:lasts[panel]] file(i) using (only($1 == places[i], $1)):2:(names[i]) \
         with labels font near textcolor rgb colours[i]
}
unset multiplot
