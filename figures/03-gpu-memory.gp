# title: A GPU's memory: latency, strides and bank conflicts
# needs: gpu_latency gpu_stride gpu_bank_conflicts
# shows: gpu_latency gpu_stride gpu_bank_conflicts
height = 760
load "style.gp"
left_edge = 72  # for "100,000"
latency = tables."/gpu_latency.tsv"
stride = tables."/gpu_stride.tsv"
conflicts = tables."/gpu_bank_conflicts.tsv"
stats latency using 1:2 name "wait" nooutput
stats stride using 1:2 name "stride" nooutput
stats conflicts using 1:2 name "ways" nooutput

set logscale xy
set xlabel offset 0,0.9 textcolor rgb quiet
set multiplot

# The latency of one thread, by the memory that its walk goes through.
top_edge = 36; bottom_edge = 356; right_edge = width - 24
y_title = "latency of a load, cycles"
load "frame.gp"
set logscale x 2
eval x_range(wait_min_x / 1.3, wait_max_x * 1.001)  # the first mark is clear of the axis, and the last inside in spite of rounding
eval y_range(wait_min_y / 1.4, wait_max_y * 1.4)
set xtics (capacity(2.0**12) 2.0**12)
set for [k = 16:40:4] xtics add (capacity(2.0**k) 2.0**k)
eval decades_on("y", "1 2 5")
set xlabel "working set"
plot latency using 1:3:4 with filledcurves fillcolor rgb memory, \
     latency using 1:2 with linespoints pointtype circle pointsize 0.6 linewidth 2 linecolor rgb memory

# Words that are far apart in memory.
top_edge = 452; bottom_edge = height - 58; right_edge = 268
y_title = "bandwidth used, GB/s"
unset label
load "frame.gp"
eval x_range(stride_min_x / 1.25, stride_max_x * 1.001)
eval y_range(stride_min_y / 1.6, stride_max_y * 1.6)
eval powers_on_x
set xlabel "stride, words"
plot stride using 1:3:4 with filledcurves fillcolor rgb memory, \
     stride using 1:2 with linespoints pointtype triangle pointsize 0.7 linewidth 2 linecolor rgb memory

# Words in one bank, which serves one at a time.
left_edge = 336; right_edge = width - 24
y_title = "cycles for a warp's load"
unset label
set label y_title at screen (left_edge - 54.0) / width,screen title_height textcolor rgb quiet
y_title = ""
load "frame.gp"
eval x_range(1 / 1.25, ways_max_x * 1.001)
eval y_range(smaller(ways_min_y, 1) / 1.6, larger(ways_max_y, ways_max_x) * 1.6)
set xlabel "words asked of one bank"
plot conflicts using 1:1 with lines linewidth 1.4 dashtype modelled_dash linecolor rgb quiet, \
     conflicts using 1:3:4 with filledcurves fillcolor rgb green, \
     conflicts using 1:2 with linespoints pointtype diamond pointsize 0.8 linewidth 2 linecolor rgb green, \
     conflicts using (only($1 == 8, $1)):($1 / 2.2):("one a cycle") with labels left font near textcolor rgb quiet
unset multiplot
