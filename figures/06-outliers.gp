# title: What a product in 8 bits keeps when a few of its channels are much larger than the others
# needs: outlier_int8 outlier_by_row outlier_blocks outlier_rotated outlier_fp8
# needs: outlier_int8_predicted outlier_by_row_predicted outlier_blocks_predicted outlier_rotated_predicted
# needs: outlier_fp8_predicted
# shows: outlier_int8 outlier_by_row outlier_blocks outlier_rotated outlier_fp8
height = 560
load "style.gp"
array ids[5] = ["int8", "by_row", "blocks", "rotated", "fp8"]
array names[5] = ["one scale", "by row", "blocks of 32", "rotated", "FP8 E4M3"]
array colours[5] = [ink, green, blue, orange, purple]
array points[5] = [circle, triangle, square, diamond, circle]
array places[5] = [0, -4, 0, 2, 4]
measured(i) = tables."/outlier_".ids[i].".tsv"
predicted(i) = tables."/outlier_".ids[i]."_predicted.tsv"
top_edge = 70; bottom_edge = height - 84; right_edge = width - 30
key_y = 1 - 18.0 / height
set label "measured" at screen left_edge / (width + 0.0),screen key_y offset 0.2,-0.3 textcolor rgb ink \
  point pointtype measured_point pointsize 0.75 linecolor rgb ink
set label "dashed: predicted from the steps" at screen (left_edge + 118.0) / width,screen key_y offset 0,-0.3 textcolor rgb ink
y_title = "signal over noise of the product, dB"
load "frame.gp"
two(x) = log(x) / log(2)
set xrange [-6.1:6.1]
set yrange [0:45]
set ytics 0,10,40
set xtics ("64" -6, "16" -4, "4" -2, "1" 0, "4" 2, "16" 4, "64" 6)
set label "large weights" at -6,0 offset 0,-2.6 left textcolor rgb quiet
set label "large activations" at 6,0 offset 0,-2.6 right textcolor rgb quiet
set label "times as large" at 0,0 offset 0,-2.6 center textcolor rgb quiet
plot for [i = 1:5] predicted(i) using (two($1)):2 with lines linewidth 1.2 dashtype modelled_dash linecolor rgb colours[i], \
     for [i = 1:5] measured(i) using (two($1)):2 with linespoints pointtype points[i] pointsize 0.6 linewidth 1.6 linecolor rgb colours[i], \
     for [i = 1:5] measured(i) using (only(int(floor(two($1) + 0.5)) == (places[i]), two($1))):2:(names[i]) \
       with labels font near textcolor rgb colours[i]
