# title: What rounding its weights adds to the loss of a small language model
# needs: trained_added trained_added_predicted trained_aware_added
# shows: trained_added trained_added_predicted trained_aware_added
height = 454
load "style.gp"
rounded = tables."/trained_added.tsv"
predicted = tables."/trained_added_predicted.tsv"
aware = tables."/trained_aware_added.tsv"
stats predicted using 1:2 name "line" nooutput
stats rounded using 2 name "points" nooutput

right_edge = width - 24; top_edge = 36; bottom_edge = height - 62
eval key("rounded", simulated_point, green)
eval key("trained further", triangle, purple)
eval key("modelled from the noise", modelled_point, quiet)
y_title = "loss added, nats per word"
load "frame.gp"
set logscale y
eval x_range(0.9 * line_min_x, 48)
set yrange [1e-5:0.2]
set ytics ("10⁻⁵" 1e-5, "10⁻⁴" 1e-4, "10⁻³" 1e-3, "10⁻²" 1e-2, "10⁻¹" 1e-1)
set xlabel "signal over noise in the weights, dB" offset 0,0.9 textcolor rgb quiet
plot predicted using 1:2 with points pointtype modelled_point pointsize 1.15 linewidth 1.4 linecolor rgb quiet, \
     rounded using 1:2 with points pointtype simulated_point pointsize 0.85 linecolor rgb green, \
     aware using 1:2 with points pointtype triangle pointsize 0.95 linecolor rgb purple, \
     rounded using (only($1 < 48, $1)):2:(strcol(5)) with labels left font near textcolor rgb green
