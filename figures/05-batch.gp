# title: A layer that serves more and more users: its speed against its intensity, and how long they wait
# needs: layer_speed layer_roof_bytes layer_roof_flops layer_latency layer_latency_predicted
# shows: layer_speed layer_roof_bytes layer_roof_flops layer_latency layer_latency_predicted
# Above, a roofline on which one layer moves to the right; below, the time that every user waits.
height = 760
load "style.gp"
left_edge = 72  # for "100,000"
load tables."/values.gp"
speed = tables."/layer_speed.tsv"
bytes = tables."/layer_roof_bytes.tsv"
flops = tables."/layer_roof_flops.tsv"
latency = tables."/layer_latency.tsv"
forecast = tables."/layer_latency_predicted.tsv"

stats speed using 1:2 name "speed" nooutput
stats flops using 2 name "flops" nooutput
stats bytes using 1:2 name "bytes" nooutput
stats latency using 1:2 name "wait" nooutput
stats forecast using 2 name "floor" nooutput
right_edge = width - 26
set logscale xy
have_ridge = exists("value_ridge_batch_predicted")
ridge = have_ridge ? value_ridge_batch_predicted : 1
have_found = exists("value_ridge_batch_measured")
found = have_found ? value_ridge_batch_measured : 1

set multiplot
top_edge = 36; bottom_edge = 346
y_title = "speed, GFLOP/s"
load "frame.gp"
eval x_range(speed_min_x / 1.5, speed_max_x * 1.7)
eval y_range(smaller(speed_min_y, bytes_min_y) / 1.8, flops_max * 2.1)
eval decades_on("x", "1")
eval decades_on("y", steps(y_min, y_max))
set xlabel "arithmetic intensity, FLOP/byte" offset 0,0.9 textcolor rgb quiet
slope = bytes_min_y / bytes_min_x
corner = flops_max / slope
along_bytes(x) = x > corner ? NaN : slope * x
eval key("measured, by users", measured_point, ink)
plot sample [x = x_min:corner] "+" using (x):(slope * x) with lines linewidth 2 dashtype modelled_dash linecolor rgb memory, \
     [x = corner:x_max] "+" using (x):(flops_max) with lines linewidth 2 dashtype modelled_dash linecolor rgb compute, \
     speed using 1:3:(0):($4 - $3) with vectors nohead linewidth 3 linecolor rgb ink, \
     speed using 1:2 with linespoints pointtype measured_point pointsize 0.75 linewidth 1.6 linecolor rgb ink, \
     bytes using 1:(only($0 == 2, along_bytes($1))):(sprintf("memory: %s GB/s", digits(slope))) \
       with labels right font near textcolor rgb memory, \
     flops using 1:(only($0 == flops_records - 2, $2)):(sprintf("arithmetic: %s GFLOP/s", digits(flops_max))) \
       with labels right font near textcolor rgb compute, \
     speed using 1:2:5 with labels left font near textcolor rgb ink

top_edge = 454; bottom_edge = 698
y_title = "time for one layer, µs"
unset label
unset arrow
load "frame.gp"
eval x_range(0.85, wait_max_x * 1.25)
eval y_range(smaller(wait_min_y, floor_min) / 1.7, wait_max_y * 1.6)
eval powers_on_x
eval decades_on("y", steps(y_min, y_max))
set xlabel "batch: users served at once" offset 0,0.9 textcolor rgb quiet
if (have_ridge) {
  # It ends above the lowest part, where what a reader has guessed may be written.
  set arrow from ridge,y_min * (y_max / y_min)**0.28 to ridge,y_max nohead linewidth 1 dashtype modelled_dash linecolor rgb quiet
  set label sprintf("ridge predicted: %s", digits(ridge)) at ridge,y_min * (y_max / y_min)**0.93 right font near \
    textcolor rgb quiet
}
if (have_found) {
  set arrow from found,y_min to found,y_max nohead linewidth 1 dashtype measured_dash linecolor rgb ink
  set label sprintf("measured: %s", digits(found)) at found,y_min * (y_max / y_min)**0.82 right font near \
    textcolor rgb ink
}
last = wait_records - 1
plot forecast using 1:2 with linespoints pointtype modelled_point pointsize 0.6 linewidth 1.6 dashtype modelled_dash \
       linecolor rgb quiet, \
     latency using 1:3:4 with filledcurves fillcolor rgb ink, \
     latency using 1:2 with linespoints pointtype measured_point pointsize 0.7 linewidth 2.2 linecolor rgb ink, \
     latency using 1:(only($0 == last - 2, $2)):("measured") with labels right font near textcolor rgb ink, \
     forecast using 1:(only($0 == last - 1, $2)):("modelled") with labels left font near textcolor rgb quiet
unset multiplot
