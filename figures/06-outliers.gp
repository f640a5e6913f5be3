# title: Channels much larger than the others: what a product in 8 bits keeps, and what it does to a language model
# needs: outlier_int8 outlier_by_row outlier_blocks outlier_rotated outlier_fp8
# needs: outlier_int8_predicted outlier_by_row_predicted outlier_blocks_predicted outlier_rotated_predicted
# needs: outlier_fp8_predicted
# needs: outlier_kl_plain outlier_kl_large outlier_kl_rotated
# shows: outlier_int8 outlier_by_row outlier_blocks outlier_rotated outlier_fp8
# shows: outlier_kl_plain outlier_kl_large outlier_kl_rotated
# Above, the product; below, the model, with its weights in each format.
height = 900
load "style.gp"
array ids[5] = ["int8", "by_row", "blocks", "rotated", "fp8"]
array names[5] = ["one scale", "by row", "blocks of 32", "rotated", "FP8 E4M3"]
array colours[5] = [ink, green, blue, orange, purple]
array points[5] = [circle, triangle, square, diamond, circle]
array places[5] = [0, -4, 0, 2, 4]
measured(i) = tables."/outlier_".ids[i].".tsv"
predicted(i) = tables."/outlier_".ids[i]."_predicted.tsv"
set multiplot
# ---- The product ----
top_edge = 70; bottom_edge = 476; right_edge = width - 30
key_y = 1 - 18.0 / height
set label "measured" at screen left_edge / (width + 0.0),screen key_y offset 0.2,-0.3 textcolor rgb ink \
  point pointtype measured_point pointsize 0.75 linecolor rgb ink
set label "dashed: predicted from the steps" at screen (left_edge + 118.0) / width,screen key_y textcolor rgb ink
y_title = "signal over noise of the product, dB"
load "frame.gp"
two(x) = log(x) / log(2)
set xrange [-6.1:6.1]
set yrange [0:45]
set ytics 0,10,40
set xtics ("64" -6, "16" -4, "4" -2, "1" 0, "4" 2, "16" 4, "64" 6)
set label "large weights" at -6,0 offset 0,-1.9 left textcolor rgb quiet
set label "large activations" at 6,0 offset 0,-1.9 right textcolor rgb quiet
set label "times as large" at 0,0 offset 0,-1.9 center textcolor rgb quiet
plot for [i = 1:5] predicted(i) using (two($1)):2 with lines linewidth 1.2 dashtype modelled_dash linecolor rgb colours[i], \
     for [i = 1:5] measured(i) using (two($1)):2 with linespoints pointtype points[i] pointsize 0.6 linewidth 1.6 linecolor rgb colours[i], \
     for [i = 1:5] measured(i) using (only(int(floor(two($1) + 0.5)) == (places[i]), two($1))):2:(names[i]) \
       with labels font near textcolor rgb colours[i]
unset label

# ---- The model ----
array states[3] = ["plain", "large", "rotated"]
array state_names[3] = ["no outliers", "outliers", "rotated"]
array state_colours[3] = [grey, ink, orange]
array state_points[3] = [triangle, circle, diamond]
array state_x[3] = [0, 140, 250]
state(i) = tables."/outlier_kl_".states[i].".tsv"
left_edge = 116; top_edge = 640; bottom_edge = height - 62
do for [i = 1:3] {
  set label state_names[i] at screen (left_edge + state_x[i]) / (width + 0.0),screen 1 - 592.0 / height offset 0.2,-0.3 \
    textcolor rgb state_colours[i] point pointtype state_points[i] pointsize 0.8 linecolor rgb state_colours[i]
}
y_title = ""
load "frame.gp"
set logscale x
set xrange [1e-3:10]
set yrange [4.6:-0.6]
set xtics ("0.001" 1e-3, "0.01" 1e-2, "0.1" 1e-1, "1" 1, "10" 10)
set ytics autofreq textcolor rgb ink
set xlabel "divergence of a language model, nats" offset 0,0.9 textcolor rgb quiet
plot state(1) using (1e-3):1:(0):(0):ytic(5) with vectors nohead linecolor rgb grid, \
     for [i = 1:3] state(i) using 2:1 with points pointtype state_points[i] pointsize 0.8 linecolor rgb state_colours[i]
unset multiplot
