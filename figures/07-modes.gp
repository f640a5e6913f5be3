# title: What compiling gains: over the batch, and part by part
# needs: layer_gain between_gain layer_gain_predicted between_gain_predicted partial_passes partial_passes_predicted
# shows: layer_gain between_gain layer_gain_predicted between_gain_predicted partial_passes partial_passes_predicted
# Above, a layer and what stands between its products; below, a model of which one part after the other is compiled.
height = 860
load "style.gp"
file(name) = tables."/".name.".tsv"
array ids[2] = ["layer", "between"]
array names[2] = ["a whole layer", "between its products"]
array colours[2] = [blue, orange]
array points[2] = [circle, triangle]
array shift[2] = [0.96, 1.04]  # so that the bars of the two stand beside each other
gain(i) = file(ids[i]."_gain")
expected(i) = file(ids[i]."_gain_predicted")
stats gain(1) using 1 name "batch" nooutput
highest = 1; lowest = 1
do for [i = 1:2] {
  stats gain(i) using 2 name "gain" nooutput
  stats expected(i) using 2 name "foreseen" nooutput
  highest = larger(highest, larger(gain_max, foreseen_max))
  lowest = smaller(lowest, smaller(gain_min, foreseen_min))
}
y_high = highest * 1.7; y_low = smaller(lowest / 1.5, 0.6)
stats file("partial_passes") using 1:2 name "passes" nooutput
stats file("partial_passes_predicted") using 2 name "law" nooutput
passes_high = larger(passes_max_y, law_max) * 1.2
within(value, low, high) = larger(low, smaller(value, high))

set multiplot
right_edge = width - 30; top_edge = 70; bottom_edge = 400
y_title = "times as fast, compiled; upright lines: 5 to 95 % of all runs"
load "frame.gp"
key_y = 1 - 18.0 / height
do for [i = 1:2] {
  set label names[i] at screen (left_edge + (i - 1) * 160.0) / width,screen key_y offset 0.4,-0.35 textcolor rgb colours[i] \
    point pointtype points[i] pointsize 0.75 linecolor rgb colours[i]
}
set label "hollow: predicted" at screen (left_edge + 374.0) / width,screen key_y offset 0.4,-0.35 textcolor rgb ink \
  point pointtype modelled_point pointsize 0.75 linecolor rgb ink
set logscale x 2
set logscale y
set xrange [batch_min / 1.25:batch_max * 1.25]
set yrange [y_low:y_high]
eval powers_on_x
eval decades_on("y", "1 2 5")
set ytics add ("0.7" 0.7, "1.5" 1.5, "3" 3)
set xlabel "rows in a batch" offset 0,0.9 textcolor rgb quiet
set arrow 1 from batch_min / 1.25,1 to batch_max * 1.25,1 nohead linewidth 1.4 linecolor rgb quiet
plot for [i = 1:2] expected(i) using 1:2 with linespoints pointtype modelled_point pointsize 0.6 linewidth 1.4 \
       dashtype modelled_dash linecolor rgb colours[i], \
     for [i = 1:2] gain(i) using ($1 * shift[i]):(low = within($3, y_low, y_high)):(0):(within($4, y_low, y_high) - low) \
       with vectors nohead linewidth 1.4 linecolor rgb colours[i], \
     for [i = 1:2] gain(i) using ($1 * shift[i]):2 with linespoints pointtype points[i] pointsize 0.7 linewidth 1.8 \
       linecolor rgb colours[i]

unset label
unset arrow
unset logscale
top_edge = 496; bottom_edge = height - 62
y_title = "time of a pass, ms"
load "frame.gp"
set xrange [-0.1 * passes_max_x:passes_max_x * 1.12]
set yrange [0:passes_high]
set xtics autofreq
set ytics autofreq
set xlabel "spent on compiling, ms" offset 0,0.9 textcolor rgb quiet
plot file("partial_passes_predicted") using 1:2 with linespoints pointtype modelled_point pointsize 0.7 linewidth 1.4 \
       dashtype modelled_dash linecolor rgb green, \
     file("partial_passes") using 1:(low = within($3, 0, passes_high)):(0):(within($4, 0, passes_high) - low) \
       with vectors nohead linewidth 1.4 linecolor rgb green, \
     file("partial_passes") using 1:2 with linespoints pointtype circle pointsize 0.7 linewidth 1.8 linecolor rgb green, \
     file("partial_passes") using 1:2:5 with labels font near textcolor rgb green
unset multiplot
