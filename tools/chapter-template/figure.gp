# title: Speed of a sum against the number of its chains
# needs: chains
# shows: chains
# Without a series in "needs", nothing is drawn; the table has the series in "shows". site/press/pictures/plot/style.gp defines colours and
# lines.
height = 360
load "style.gp"
chains = tables."/chains.tsv"
stats chains using 4 name "high" nooutput
have_yours = exists("yours")  # a reader's own kernel: it has a place of its own on the axis
your_file = have_yours ? yours : chains

top_edge = 36; bottom_edge = height - 62; right_edge = width - 34
y_title = "speed, GFLOP/s"
load "frame.gp"
set logscale x 2
# For a range that depends on the data, use this function, so that two machines can share axes.
eval x_range(0.8, 20)
eval y_range(0, high_max * 1.05)
set xlabel "chains" offset 0,0.9 textcolor rgb quiet
if (have_yours) { set xtics add ("yours" 16) }

plot chains using 1:3:4 with filledcurves fillcolor rgb blue, \
     chains using 1:2 with linespoints pointtype circle pointsize 0.7 linewidth 2 linecolor rgb blue, \
     your_file using (only(have_yours, $1)):2 with points pointtype yours_point pointsize 0.9 linecolor rgb ink
