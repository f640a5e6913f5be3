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
gain(i) = file(ids[i]."_gain")
expected(i) = file(ids[i]."_gain_predicted")
stats gain(1) using 1 name "batch" nooutput
stats gain(2) using 2 name "most" nooutput
stats expected(2) using 2 name "foreseen" nooutput
stats file("partial_passes") using 1:2 name "passes" nooutput

set multiplot
key_y = 1 - 18.0 / height
set label "measured" at screen left_edge / (width + 0.0),screen key_y offset 0.2,-0.3 textcolor rgb ink \
  point pointtype measured_point pointsize 0.75 linecolor rgb ink
set label "predicted" at screen (left_edge + 110.0) / width,screen key_y offset 0.2,-0.3 textcolor rgb ink \
  point pointtype modelled_point pointsize 0.75 linecolor rgb ink
right_edge = width - 30; top_edge = 70; bottom_edge = 420
y_title = "times as fast, compiled"
load "frame.gp"
set logscale x 2
set xrange [batch_min / 1.1:batch_max * 1.1]
set yrange [0:larger(most_max, foreseen_max) * 1.12]
eval powers_on_x
set ytics 0,1
set xlabel "rows in a batch" offset 0,0.9 textcolor rgb quiet
set arrow 1 from batch_min / 1.1,1 to batch_max * 1.1,1 nohead linewidth 1.4 linecolor rgb quiet
plot for [i = 1:2] gain(i) using 1:3:4 with filledcurves fillcolor rgb colours[i], \
     for [i = 1:2] expected(i) using 1:2 with linespoints pointtype modelled_point pointsize 0.6 linewidth 1.4 \
       dashtype modelled_dash linecolor rgb colours[i], \
     for [i = 1:2] gain(i) using 1:2 with linespoints pointtype points[i] pointsize 0.7 linewidth 1.8 linecolor rgb colours[i], \
     for [i = 1:2] gain(i) using (only($1 == 64, $1)):2:(names[i]) with labels font near textcolor rgb colours[i]

unset label
unset arrow
unset logscale
top_edge = 506; bottom_edge = height - 62
y_title = "time of a pass, ms"
load "frame.gp"
set xrange [-0.03 * passes_max_x:passes_max_x * 1.03]
set yrange [0:passes_max_y * 1.15]
set xtics autofreq
set ytics autofreq
set xlabel "spent on compiling, ms" offset 0,0.9 textcolor rgb quiet
plot file("partial_passes_predicted") using 1:2 with linespoints pointtype modelled_point pointsize 0.7 linewidth 1.4 \
       dashtype modelled_dash linecolor rgb green, \
     file("partial_passes") using 1:2 with linespoints pointtype circle pointsize 0.7 linewidth 1.8 linecolor rgb green, \
     file("partial_passes") using 1:2:5 with labels font near textcolor rgb green
unset multiplot
