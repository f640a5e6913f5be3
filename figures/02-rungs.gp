# title: Speed after each idea, and the bytes moved
# needs: rungs traffic_registers traffic_l2 traffic_beyond
# shows: rungs traffic_registers traffic_l2 traffic_beyond
height = 444
load "style.gp"
load tables."/values.gp"
rungs = tables."/rungs.tsv"
curves = "traffic_registers traffic_l2 traffic_beyond"
look_traffic_registers = "purple simulated_point simulated_dash registers–L1"
look_traffic_l2        = "green  hollow_triangle simulated_dash L1–L2"
look_traffic_beyond    = "memory hollow_diamond  simulated_dash L2–beyond"
stats rungs using 1:2 name "rung" nooutput
stats series(1) using 1:2 name "registers" nooutput
simulated = int(registers_max_x)  # the rungs below have no bytes
stats series(3) using 2 name "beyond" nooutput

# Two panels side by side, a row for each rung: bars on the left, bytes on the right.
top_edge = 36; bottom_edge = height - 40
row(i) = -i
eval y_range(-rung_max_x - 0.6, -0.4)
set multiplot

left_edge = 124; right_edge = 306
y_title = sprintf("percent of peak at N = %.0f", value_anatomy_n)
load "frame.gp"
set xrange [0:124]
set xtics 0,25,100
set grid xtics noytics
set ytics textcolor rgb ink
plot rungs using (0):(row($1)):2:(0):ytic(5) with vectors nohead linewidth 13 linecolor rgb compute, \
     rungs using ($2 + 4):(row($1)):(digits($2)) with labels left textcolor rgb ink
unset ytics

left_edge = 338; right_edge = width - 30
y_title = ""
unset label
load "frame.gp"
set label "bytes moved, simulated" at graph 0,screen title_height textcolor rgb quiet
set logscale x
# The minimum traffic: both inputs in, the output out.
least = exists("value_compulsory_bytes") ? value_compulsory_bytes : beyond_min
eval x_range(smaller(least, beyond_min) / 3, registers_max_y * 9)
set xtics ("1 MiB" 2.0**20)
set for [k = 22:44:2] xtics add (k % 6 == 0 ? capacity(2.0**k) : "" 2.0**k)
if (exists("value_compulsory_bytes")) {
  set arrow from least,graph 0 to least,graph 1 nohead linewidth 1.4 dashtype modelled_dash linecolor rgb ink
  set label "minimum" at least,row(simulated + 0.5) left offset 0.6,0 textcolor rgb ink
}
do for [k = simulated + 1:int(rung_max_x)] { set label "not simulated" at graph 1.06,first row(k) right textcolor rgb quiet }
plot for [i = 1:3] series(i) using 2:(row($1)) with linespoints pointtype point(i) pointsize 0.8 linewidth 1 \
       dashtype dash(i) linecolor rgb colour(i), \
     for [i = 1:3] series(i) using (only($0 == 0, $2)):(row($1)):(title(i)) with labels font near textcolor rgb colour(i)
unset multiplot
