# title: Some channels much larger than the others: what a product in 8 bits keeps
# needs: outlier_int8 outlier_by_row outlier_blocks outlier_rotated outlier_fp8
# needs: outlier_int8_predicted outlier_by_row_predicted outlier_blocks_predicted outlier_rotated_predicted
# needs: outlier_fp8_predicted
# shows: outlier_int8 outlier_by_row outlier_blocks outlier_rotated outlier_fp8
# Two panels: large channels of the activations, and of the weights.
height = 378
load "style.gp"
array ids[5] = ["int8", "by_row", "blocks", "rotated", "fp8"]
array names[5] = ["one scale", "by row", "blocks of 32", "one scale, rotated", "FP8 E4M3"]
array colours[5] = [ink, green, blue, grey, purple]
array points[5] = [circle, triangle, square, diamond, circle]
kept(i) = tables."/outlier_".ids[i].".tsv"
predicted(i) = tables."/outlier_".ids[i]."_predicted.tsv"
two(x) = log(x) / log(2)
set multiplot
top_edge = 36; bottom_edge = height - 62
do for [i = 1:5] {
  eval key(names[i], points[i], colours[i])
}
eval key("dashed: modelled", 0, quiet)
set xrange [-0.1:6.1]
set yrange [0:45]
set ytics 0,10,40
set xtics ("1" 0, "4" 2, "16" 4, "64" 6)
do for [panel = 1:2] {
  left_edge = panel == 1 ? 36 : 308; right_edge = left_edge + 232
  y_title = panel == 1 ? "signal over noise, dB" : ""
  load "frame.gp"
  set label (panel == 1 ? "large activations" : "large weights") at graph 0.03,0.08 left textcolor rgb ink
  set xlabel "times as large" offset 0,0.9 textcolor rgb quiet
  way = panel == 1 ? 1 : -1
  after(x) = only(way * two(x) > -0.5, way * two(x))
  plot for [i = 1:5] predicted(i) using (after($1)):2 with lines linewidth 1.2 dashtype modelled_dash \
         linecolor rgb colours[i], \
       for [i = 1:5] kept(i) using (after($1)):2 with linespoints pointtype points[i] pointsize 0.6 linewidth 1.6 \
         linecolor rgb colours[i]
  unset label
}
unset multiplot
