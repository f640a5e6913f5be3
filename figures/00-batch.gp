# title: Tokens per second against the batch, below the limits of memory and arithmetic
# needs: batch_speed batch_bytes batch_flops
# shows: batch_speed batch_bytes batch_flops
height = 470
load "style.gp"
load tables."/values.gp"
speed = tables."/batch_speed.tsv"
bytes = tables."/batch_bytes.tsv"
flops = tables."/batch_flops.tsv"

stats speed using 1:2 name "speed" nooutput
stats speed using 3 name "slow" nooutput
stats bytes using 1:2 name "bytes" nooutput
stats flops using 2 name "flops" nooutput
top_edge = 36; bottom_edge = height - 62; right_edge = width - 26
y_title = "speed, tokens/s"
load "frame.gp"
set logscale xy
eval x_range(0.88, speed_max_x * 1.3)
lowest = smaller(smaller(speed_min_y, slow_min), bytes_min_y)
eval y_range(lowest / 1.7, flops_max * 2.6)
eval powers_on_x
set xlabel "batch: users served at once" offset 0,0.9 textcolor rgb quiet
eval decades_on("y", "1 2 5")

if (exists("value_batch_at_ridge_predicted")) {
  ridge = value_batch_at_ridge_predicted
  if (ridge < speed_max_x * 1.3) {
    set arrow from ridge,y_min to ridge,flops_max nohead linewidth 1 dashtype quoted_dash linecolor rgb quiet
    ridge_name = sprintf("predicted ridge: %s", digits(ridge))
    if (log(ridge) > 0.5 * log(speed_max_x)) {
      set label ridge_name at ridge,y_min * (y_max / y_min)**0.05 right offset -1,0 textcolor rgb ink
    } else {
      set label ridge_name at ridge,y_min * (y_max / y_min)**0.05 left offset 1,0 textcolor rgb ink
    }
  }
}
third = int((bytes_records - 1) / 3)

plot bytes using 1:(only($2 <= y_max, $2)) with linespoints pointtype modelled_point pointsize 0.6 linewidth 1.8 \
       dashtype modelled_dash linecolor rgb memory, \
     flops using 1:2 with linespoints pointtype modelled_point pointsize 0.6 linewidth 1.8 dashtype modelled_dash \
       linecolor rgb compute, \
     speed using 1:3:4 with filledcurves fillcolor rgb ink, \
     speed using 1:2 with linespoints pointtype measured_point pointsize 0.7 linewidth 2.2 linecolor rgb ink, \
     bytes using 1:(only($0 == third + 1, $2)):("what the bytes allow") with labels left font near textcolor rgb memory, \
     flops using 1:(only($0 == 2, $2)):("what the arithmetic allows") with labels left font near \
       textcolor rgb compute, \
     speed using 1:(only($0 == speed_records - 2, $2)):("measured") with labels left font near textcolor rgb ink
