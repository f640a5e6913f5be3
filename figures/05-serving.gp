# title: The 99th percentile of a user's wait against throughput, by method
# needs: serving_itl_whole serving_itl_chunked serving_ttft_whole serving_ttft_chunked
# shows: serving_itl_static serving_itl_whole serving_itl_chunked serving_itl_apart serving_ttft_static serving_ttft_whole serving_ttft_chunked serving_ttft_apart
# Two panels: the time between two tokens, and below it the time until the first token.
height = 730
load "style.gp"
left_edge = 64  # for "100,000"
load tables."/values.gp"

array ways[4] = ["static", "whole", "chunked", "apart"]
array titles[4] = ["static batches", "whole prompts", "chunks", "separate"]
array colours[4] = [grey, purple, ink, green]
array points[4] = [6, 8, 4, 12]
array named[4] = [8, 6, 7, 5]  # the point beside which a curve's name is
present(kind, i) = exists("have_serving_".kind."_".ways[i])
# A method that the record lacks is replaced by one that it has, with every point undefined.
file(kind, i) = tables."/serving_".kind."_".ways[present(kind, i) ? i : 2].".tsv"

right_edge = width - 26
most = 0
do for [i = 1:4] {
  stats file("itl", i) using 1 name "throughput" nooutput
  most = larger(most, throughput_max)
}
set multiplot
do for [panel = 1:2] {
  kind = panel == 1 ? "itl" : "ttft"
  set autoscale xy
  unset logscale  # stats rounds the values it reads from a logarithmic axis
  lowest = 1e30; highest = 0
  do for [i = 1:4] {
    stats file(kind, i) using 2 name "wait" nooutput
    lowest = smaller(lowest, wait_min)
    highest = larger(highest, wait_max)
  }
  unset label
  top_edge = panel == 1 ? 36 : 394
  bottom_edge = panel == 2 ? height - 62 : 346
  y_title = panel == 1 ? "between two tokens, 99th percentile, ms" : "until the first token, 99th percentile, ms"
  load "frame.gp"
  set logscale y
  eval x_range(0, most * 1.06)
  eval y_range(lowest / 1.5, highest * 1.6)
  eval decades_on("y", steps(lowest, highest))
  set format x (panel == 1 ? "" : "%g")
  if (panel == 2) { set xlabel "tokens written per second and machine" offset 0,0.9 textcolor rgb quiet }
  plot for [i = 1:4] file(kind, i) using (only(present(kind, i), $1)):2 with linespoints pointtype points[i] \
         pointsize 0.7 linewidth (i == 2 || i == 3 ? 2.2 : 1.6) dashtype simulated_dash linecolor rgb colours[i], \
       for [i = 1:4] file(kind, i) using (only(present(kind, i) && $0 == named[i], $1)):2:(titles[i]) \
         with labels left font near textcolor rgb colours[i]
}
unset multiplot
