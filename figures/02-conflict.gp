# title: Speed and traffic of the plain loops around N = 1024
# needs: conflict conflict_l1 conflict_l2
# shows: conflict conflict_l1 conflict_l2
height = 576
load "style.gp"
load tables."/values.gp"
speed = tables."/conflict.tsv"
l1 = tables."/conflict_l1.tsv"
l2 = tables."/conflict_l2.tsv"
stats speed using 1:2 name "speed" nooutput
stats l1 using 2 name "l1" nooutput
x_min = speed_min_x - 4; x_max = speed_max_x + 4
right_edge = width - 24
eval x_range(x_min, x_max)
set xtics 0,64 textcolor rgb quiet

is_corner(n) = n == 1023 || n == 1024 || n == 1025

set multiplot
top_edge = 36; bottom_edge = 298
y_title = "measured speed, GFLOP/s"
load "frame.gp"
eval y_range(0, speed_max_y * 1.15)
set format x ""
plot speed using 1:3:4 with filledcurves fillcolor rgb compute, \
     speed using 1:2 with linespoints pointtype circle pointsize 0.55 linewidth 1.8 linecolor rgb compute, \
     speed using 1:(only(is_corner($1), $2)):(sprintf("%.0f", $1)) with labels font near textcolor rgb ink

unset label
top_edge = 350; bottom_edge = height - 62
y_title = "bytes fetched for each multiplication, simulated"
load "frame.gp"
set format x "%g"
set logscale y 2
eval y_range(2, l1_max * 2.6)
set ytics ("4" 4, "16" 16, "64" 64)
set xlabel "N" offset 0,0.9 textcolor rgb quiet
plot l1 using 1:2 with linespoints pointtype 4 pointsize 0.7 linewidth 1.4 dashtype simulated_dash linecolor rgb green, \
     l2 using 1:2 with linespoints pointtype 12 pointsize 0.7 linewidth 1.4 dashtype simulated_dash linecolor rgb memory, \
     l1 using (only($0 == 2, $1)):2:("into L1") with labels font near textcolor rgb green, \
     l2 using (only($0 == 2, $1)):2:("into L2") with labels font near textcolor rgb memory
unset multiplot
