# title: A transformer of 70 billion weights on ever more chips: MFU, where a step's time goes, and what is cut
# needs: sweep_mfu sweep_mfu_data sweep_mfu_tensor sweep_mfu_pipeline
# needs: sweep_time_arithmetic sweep_time_memory sweep_time_tensor sweep_time_network sweep_time_bubble
# needs: sweep_ways_tensor sweep_ways_context sweep_ways_pipeline sweep_ways_data
# shows: sweep_mfu sweep_time_arithmetic sweep_time_network
# Above, the utilisation of the chips, by what may be cut; then, for the fastest plan, how its step spends its time, and into
# how many pieces each thing is cut.
height = 737
load "style.gp"
file(name) = tables."/sweep_".name.".tsv"
two(x) = log(x) / log(2)
stats file("mfu") using 1 name "chips" nooutput
first = int(two(chips_min) + 0.5); last = int(two(chips_max) + 0.5)

right_edge = width - 24
eval x_range(-0.5, last + 0.5)
set xtics ("1" 0, "4" 2, "16" 4, "64" 6, "256" 8, "1024" 10, "4096" 12, digits(16384) 14)
set grid noxtics
# A block of column k, from one height to another, in one of the colours.
block(k, from, to, colour, solid) = sprintf('set object rectangle from %f,%f to %f,%f fillcolor rgb "%s" fillstyle solid %f noborder', \
                                            k - 0.43, from, k + 0.43, to, colour, solid)

array key_names[6] = ["arithmetic", "memory", "tensors, their links", "batch, its network", "layers, their bubble", "tokens"]
array key_colours[6] = [compute, memory, green, grey, purple, ink]
do for [i = 1:6] { eval key(key_names[i], square, key_colours[i]) }

set multiplot

# ---- Utilisation of the chips ----
top_edge = 36; bottom_edge = 220
y_title = "MFU, %"
load "frame.gp"
set yrange [0:65]
set ytics 0,20,60
eval sprintf("set object rectangle from %f,0 to %f,65 fillcolor rgb grey fillstyle solid 0.12 noborder", x_min, first - 0.5)
set label "does not fit" at (x_min + first - 0.5) / 2,37 center textcolor rgb ink
set label "into memory" at (x_min + first - 0.5) / 2,30.5 center textcolor rgb ink
array cuts[4] = ["mfu_data", "mfu_tensor", "mfu_pipeline", "mfu"]
array cut_names[4] = ["batch alone", "batch, tensors", "batch, layers", "all four"]
array cut_colours[4] = [grey, green, purple, ink]
array cut_points[4] = [4, 8, 10, 6]
array cut_places[4] = [9, 14, 12, 11]
plot for [i = 1:4] file(cuts[i]) using (two($1)):2 with linespoints pointtype cut_points[i] pointsize 0.6 linewidth 1.6 \
       dashtype modelled_dash linecolor rgb cut_colours[i], \
     for [i = 1:4] file(cuts[i]) using (only(int(two($1) + 0.5) == cut_places[i], two($1))):2:(cut_names[i]) \
       with labels font near textcolor rgb cut_colours[i]
unset label
unset object

# ---- Parts of a step's time ----
array parts[5] = ["arithmetic", "memory", "tensor", "network", "bubble"]
array part_colours[5] = [compute, memory, green, grey, purple]  # the cost of a cut has its colour
array reached[20]
top_edge = 298; bottom_edge = 398
y_title = "share of a step, %"
load "frame.gp"
set yrange [0:100]
set ytics 0,25,100
do for [k = 1:20] { reached[k] = 0 }
do for [i = 1:5] {
  array share[20]
  stats file("time_".parts[i]) using (share[int(two($1) + 0.5)] = $2) nooutput
  do for [k = first:last] {
    eval block(k, reached[k], reached[k] + share[k], part_colours[i], 1)
    reached[k] = reached[k] + share[k]
  }
}
plot NaN
unset label
unset object

# ---- Into how many pieces each thing is cut ----
array ways[4] = ["tensor", "context", "pipeline", "data"]
array way_colours[4] = [green, ink, purple, grey]
top_edge = 476; bottom_edge = height - 62
y_title = "pieces, a doubling for each step up"
load "frame.gp"
eval y_range(0, last)
unset ytics
set xlabel "chips" offset 0,0.9 textcolor rgb quiet
do for [k = 1:20] { reached[k] = 0 }
do for [i = 1:4] {
  array share[20]
  stats file("ways_".ways[i]) using (share[int(two($1) + 0.5)] = $2) nooutput
  do for [k = first:last] {
    if (share[k] > 1) {
      eval block(k, reached[k], reached[k] + two(share[k]), way_colours[i], 1)
      set label sprintf("%d", share[k]) at k,reached[k] + two(share[k]) / 2 center textcolor rgb paper
      reached[k] = reached[k] + two(share[k])
    }
  }
}
plot NaN
unset multiplot
