# title: Speed of a sum against the number of its chains
# needs: chains
# shows: chains
height = 360
load "style.gp"
chains = tables."/chains.tsv"
stats chains using 4 name "high" nooutput
top_edge = 36; bottom_edge = height - 62; right_edge = width - 34
y_title = "speed, GFLOP/s"
load "frame.gp"
set logscale x 2
eval x_range(0.8, 10)
eval y_range(0, high_max * 1.05)
set xlabel "chains" offset 0,0.9 textcolor rgb quiet
plot chains using 1:3:4 with filledcurves fillcolor rgb blue, \
     chains using 1:2 with linespoints pointtype circle pointsize 0.7 linewidth 2 linecolor rgb blue
