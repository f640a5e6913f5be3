# title: The fp32 ladder on an RTX A6000: each rung's bound, and its measured speed
# needs: rung_bound_a6000 rung_quoted_a6000
# shows: rung_bound_a6000 rung_quoted_a6000
height = 330
load "style.gp"
load tables."/values.gp"
bounds = tables."/rung_bound_a6000.tsv"
quoted = tables."/rung_quoted_a6000.tsv"
stats bounds using 1:2 name "bound" nooutput
stats quoted using 2 name "theirs" nooutput
rows = int(bound_max_x)
left_edge = 176; right_edge = width - 24; top_edge = 36; bottom_edge = height - 62
y_title = "fp32, TFLOP/s on an RTX A6000"
load "frame.gp"
eval key("quoted", quoted_point, grey)
eval key("modelled bound", modelled_point, blue)
set logscale x
set grid xtics noytics
eval x_range(smaller(bound_min_y, theirs_min) / 1.7, bound_max_y * 1.9)
eval decades_on("x", bound_max_y > 3000 * smaller(bound_min_y, theirs_min) ? "1" : "1 2 5")
eval y_range(-rows - 0.6, -0.4)
unset ytics
set for [row = 1:rows] arrow from graph 0,first -row to graph 1,first -row nohead linewidth 0.8 linecolor rgb grid
plot bounds using (x_min):(-$1):5 with labels right offset -1,0 textcolor rgb ink, \
     bounds using 2:(-$1) with points pointtype modelled_point pointsize 0.9 linewidth 1.6 linecolor rgb blue, \
     bounds using 2:(-$1):(digits($2)) with labels left font near textcolor rgb blue, \
     quoted using 2:(-$1) with points pointtype quoted_point pointsize 0.9 linecolor rgb grey
