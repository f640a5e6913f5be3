# Shared by figures of an all-reduce: above, time against size and the model of each algorithm; below, the model divided by the
# measurement. A script sets prefix, of the series' names, and have_yours, then loads this.
took(name) = tables."/".prefix."allreduce_us_".name.".tsv"
model(name) = tables."/".prefix."model_us_".name.".tsv"
array ids[5] = ["ring", "doubling", "tree", "halving_doubling", "mpi"]
array names[5] = ["ring", "doubling", "tree", "halving", "MPI"]
array colours[5] = [blue, grey, green, purple, ink]
array points[5] = [circle, triangle, square, diamond, 11]
algorithms = value_ranks > 2 ? 4 : 3  # with two ranks, halving and doubling is the same as the ring
drawn(i) = i <= algorithms || i == 5
stats took("mpi") using 1:2 name "all" nooutput
lowest = all_min_y; highest = all_max_y
do for [i = 1:algorithms] {
  stats took(ids[i]) using 2 name "own" nooutput
  lowest = smaller(lowest, own_min); highest = larger(highest, own_max)
}
your_file = have_yours ? yours : took("mpi")
stars_max_x = 0
if (have_yours) {
  stats your_file using 1:2 name "stars" nooutput
  lowest = smaller(lowest, stars_min_y); highest = larger(highest, stars_max_y)
}

# The model's predictions for a size: its points have more sizes than some of the measured curves.
array size[4]
array says[4]
do for [i = 1:4] { size[i] = ""; says[i] = "" }
do for [i = 1:algorithms] {
  stats model(ids[i]) using (size[i] = size[i].sprintf(" %.17g", $1), says[i] = says[i].sprintf(" %.17g", $2), $1) nooutput
}
place(i, x) = int(sum [k = 1:words(size[i])] (word(size[i], k) + 0 == x ? k : 0))
over(i, x, y) = place(i, x) > 0 ? word(says[i], place(i, x)) / y : NaN

right_edge = width - 30
x_min = all_min_x / 1.5; x_max = all_max_x * 1.001  # the last point is inside in spite of rounding
set logscale xy
eval x_range(x_min, x_max)
set xtics ("4 B" 4, "256 B" 256, "16 KiB" 2**14, "1 MiB" 2**20, "64 MiB" 2**26)
from = value("value_".prefix."alpha_beta_from_kib") * 1024
to = value("value_".prefix."alpha_beta_to_kib") * 1024

# The curves are too close together for names beside them.
do for [i = 1:5] { if (drawn(i)) { eval key(names[i], points[i], colours[i]) } }

set multiplot
left_edge = 72; top_edge = 36; bottom_edge = 420  # left: "100,000"
y_title = "time, µs; dashed: modelled"
load "frame.gp"
eval y_range(lowest / 1.6, highest * 2)
eval decades_on("y", "1")
set object rectangle from from,y_min to to,y_max fillcolor rgb grey fillstyle solid 0.1 noborder behind
plot for [i = 1:algorithms] model(ids[i]) using 1:2 with lines linewidth 1.6 dashtype modelled_dash linecolor rgb colours[i], \
     for [i = 1:5] took(ids[i]) using (only(drawn(i), $1)):2 with linespoints pointtype points[i] pointsize 0.55 linewidth 1.8 \
       linecolor rgb colours[i], \
     your_file using (only(have_yours && $5 > 0, $1)):2 with points pointtype earlier_point pointsize 0.6 linecolor rgb quiet, \
     your_file using (only(have_yours && $5 == 0, $1)):2 with points pointtype yours_point pointsize 0.9 linecolor rgb ink, \
     your_file using (only(have_yours && $5 == 0 && $1 == stars_max_x, $1)):2:("yours") with labels left font near \
       textcolor rgb ink

top_edge = 504; bottom_edge = height - 62
y_title = "the model over what was measured"
unset label
unset object
load "frame.gp"
set xlabel "bytes of each rank" offset 0,0.9 textcolor rgb quiet
set yrange [0.3:9]
set ytics ("1/2" 0.5, "1" 1, "2" 2, "4" 4, "8" 8)
set object rectangle from from,0.3 to to,9 fillcolor rgb grey fillstyle solid 0.1 noborder behind
set label "fitted to the ring" at sqrt(from * to),6 center font near textcolor rgb quiet
plot 1 with lines linewidth 1.4 linecolor rgb quiet, \
     for [i = 1:algorithms] took(ids[i]) using 1:(over(i, $1, $2)) with linespoints pointtype points[i] pointsize 0.7 \
       linewidth 1.4 linecolor rgb colours[i]
unset multiplot
