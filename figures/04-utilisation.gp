# title: How much of a systolic array works, by shape and dataflow
# needs: utilisation_m_os utilisation_m_ws utilisation_m_is utilisation_k_os utilisation_k_ws utilisation_k_is
# shows: utilisation_m_os utilisation_m_ws utilisation_m_is utilisation_k_os utilisation_k_ws utilisation_k_is
# Above, one matrix gets more rows; below, the sums get longer. The other two sizes of the product stay the same.
height = 760
load "style.gp"
array ids[3] = ["os", "ws", "is"]
array names[3] = ["outputs", "weights", "inputs"]
array colours[3] = [purple, ink, green]
array points[3] = [8, 4, 12]
array sides[2] = ["m", "k"]
array titles[2] = ["rows of the first matrix", "length of the sums"]
file(side, i) = tables."/utilisation_".sides[side]."_".ids[i].".tsv"
stats file(1, 1) using 1 name "size" nooutput
# Two dataflows with the same result share one curve.
array one[size_records]
array other[size_records]
# The reader's own schedule, where there is one, in the upper panel: its last attempt filled, the others hollow. Its table has
# ticks, of 512 by 512 weights on 128 by 128 cells.
have_yours = exists("yours")
your_file = have_yours ? yours : file(1, 1)
your_share(rows, ticks) = 100.0 * rows * 512 * 512 / (ticks * 128 * 128)
your_rows_min_x = 0
if (have_yours) { stats your_file using 1:2 name "your_rows" nooutput }
yours_if(shown) = have_yours && side == 1 && shown ? column(1) : NaN

right_edge = width - 162
set logscale x 2
eval x_range(0.75, size_max * 1.001)  # the last point is inside in spite of rounding
set yrange [0:104]
set ytics 0,25,100
set multiplot
do for [side = 1:2] {
  top_edge = side == 1 ? 36 : 416
  bottom_edge = top_edge + 270
  y_title = "cells at work, %, by what stays"
  unset label
  load "frame.gp"
  set xlabel titles[side] offset 0,0.9 textcolor rgb quiet
  stats file(side, 2) using (one[$0 + 1] = $2, $2) name "first" nooutput
  stats file(side, 3) using (other[$0 + 1] = $2, $2) name "second" nooutput
  apart = 0
  do for [k = 1:size_records] { apart = larger(apart, abs(one[k] - other[k])) }
  curves = apart < 3 ? 2 : 3
  name(i) = curves == 2 && i == 2 ? "weights or inputs" : names[i]
  plot for [i = 1:curves] file(side, i) using 1:2 with linespoints pointtype points[i] pointsize 0.7 linewidth 1.6 \
         dashtype simulated_dash linecolor rgb colours[i], \
       your_file using (yours_if($5 > 0)):(your_share($1, $2)) with points pointtype earlier_point pointsize 0.6 \
         linecolor rgb quiet, \
       your_file using (yours_if($5 == 0)):(your_share($1, $2)) with points pointtype yours_point pointsize 0.9 \
         linecolor rgb ink, \
       your_file using (yours_if($5 == 0 && $1 == your_rows_min_x)):(your_share($1, $2)):("yours") \
         with labels offset 0,0.9 font near textcolor rgb ink, \
       for [i = 1:curves] file(side, i) using (only($1 == size_max, $1)):2:(name(i)) \
         with labels left font end textcolor rgb colours[i]
}
unset multiplot
