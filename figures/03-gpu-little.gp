# title: A GPU's bandwidth against the bytes in flight
# needs: gpu_bandwidth_in_flight
# shows: gpu_bandwidth_in_flight gpu_bandwidth_in_flight_4 simt_gpu_bandwidth
height = 460
load "style.gp"
left_edge = 72  # for "100,000"
load tables."/values.gp"
one = tables."/gpu_bandwidth_in_flight.tsv"
have_four = exists("have_gpu_bandwidth_in_flight_4")
four = have_four ? tables."/gpu_bandwidth_in_flight_4.tsv" : one
have_simulated = exists("have_simt_gpu_bandwidth")
simulated = have_simulated ? tables."/simt_gpu_bandwidth.tsv" : one
stats one using 1:2 name "one" nooutput
stats four using 1:2 name "four" nooutput
stats simulated using 1:2 name "model" nooutput
x_max = larger(four_max_x, one_max_x)
y_min = one_min_y / 1.6
y_max = 1.6 * larger(four_max_y, one_max_y)
y_max = 1.6 * model_max_y > y_max ? 1.6 * model_max_y : y_max

top_edge = 36; bottom_edge = height - 62; right_edge = width - 36
y_title = "bandwidth, GB/s"
load "frame.gp"
set logscale x 2
set logscale y
eval x_range(one_min_x, x_max * 1.001)  # the last point is inside in spite of rounding
eval y_range(y_min, y_max)
eval decades_on("y", steps(y_min, y_max))
set xtics (capacity(2.0**9) 2.0**9)
set for [k = 12:40:3] xtics add (capacity(2.0**k) 2.0**k)
set xlabel "in flight on the whole device" offset 0,0.9 textcolor rgb quiet
# The curves are too close together for names beside them.
eval key("one load per thread", circle, ink)
if (have_four) { eval key("four loads", triangle, green) }
if (have_simulated) { eval key("simulated", simulated_point, purple) }
if (exists("value_gpu_little_predicted_bytes")) {
  knee = value_gpu_little_predicted_bytes
  set arrow from knee,y_min to knee,y_max nohead linewidth 1 dashtype modelled_dash linecolor rgb quiet
  set label "bend, predicted" at knee,y_min * 2 font near textcolor rgb quiet
}
plot one using 1:3:4 with filledcurves fillcolor rgb ink, \
     simulated using (only(have_simulated, $1)):2 with linespoints pointtype simulated_point pointsize 0.7 \
       linewidth 1.6 dashtype simulated_dash linecolor rgb purple, \
     four using (only(have_four, $1)):2 with linespoints pointtype triangle pointsize 0.6 linewidth 1.8 \
       dashtype long_dash linecolor rgb green, \
     one using 1:2 with linespoints pointtype circle pointsize 0.6 linewidth 2 linecolor rgb ink
