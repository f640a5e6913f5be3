# title: Attention with the matrix and without it, over the number of tokens
# needs: flash_speed flash_speed_predicted flash_speed_all flash_speed_all_predicted attention_peak attention_peak_all
# shows: flash_speed flash_speed_predicted naive_speed naive_speed_predicted torch_attention_speed attention_peak
# shows: flash_speed_all flash_speed_all_predicted naive_speed_all naive_speed_all_predicted torch_attention_speed_all
# shows: attention_peak_all
# One thread above, all threads below; a series that the record lacks is replaced by one that it has, with every point
# undefined.
height = 736
load "style.gp"
load tables."/values.gp"
array ways[3] = ["flash_speed", "naive_speed", "torch_attention_speed"]
array titles[3] = ["without the matrix", "with the matrix", "PyTorch"]
array colours[3] = [green, purple, ink]
array points[3] = [circle, triangle, diamond]
array shift[3] = [0.955, 1.047, 1]  # so that the three spreads are side by side
suffix(panel) = panel == 2 ? "_all" : ""
present(i, panel, more) = exists("have_".ways[i].suffix(panel).more)
file(i, panel, more) = tables."/".ways[present(i, panel, more) ? i : 1].suffix(panel).more.".tsv"
peak(panel) = tables."/attention_peak".suffix(panel).".tsv"

right_edge = width - 24
set grid noxtics
set multiplot
do for [panel = 1:2] {
  set autoscale xy
  unset logscale  # stats rounds the values it reads from a logarithmic axis
  stats peak(panel) using 1:2 name "peak" nooutput
  highest = peak_max_y
  do for [i = 1:3] {
    if (present(i, panel, "")) { stats file(i, panel, "") using 2 name "speed" nooutput; highest = larger(highest, speed_max) }
  }
  y_max = highest * 1.1
  unset label
  top_edge = panel == 1 ? 36 : 386
  bottom_edge = panel == 1 ? 328 : height - 62
  y_title = "speed, GFLOP/s, ".(panel == 1 ? "one thread" : "all threads")
  load "frame.gp"
  if (panel == 1) {
    do for [i = 1:3] {
      if (present(i, 1, "")) {
        eval key(titles[i], points[i], colours[i])
      }
    }
    eval key("modelled", modelled_point, ink)
    eval key("upright lines: 5 to 95% of all runs", 0, ink)
  }
  set logscale x
  eval x_range(peak_min_x / 1.25, peak_max_x * 1.25)
  eval y_range(0, y_max)
  set ytics autofreq
  set xtics ("" 1)
  if (panel == 2) {
    set for [k = 5:20] xtics add (digits(2.0**k) 2.0**k)
    set xlabel "tokens" offset 0,0.9 textcolor rgb quiet
  }
  plot peak(panel) using 1:2 with lines linewidth 2.4 linecolor rgb grey, \
       peak(panel) using (only($1 == peak_max_x, $1)):2:("peak") with labels right font near textcolor rgb quiet, \
       for [i = 1:2] file(i, panel, "_predicted") using (only(present(i, panel, "_predicted"), $1 * shift[i])):2 \
         with points pointtype modelled_point pointsize 0.9 linecolor rgb colours[i], \
       for [i = 1:3] file(i, panel, "") using (only(present(i, panel, ""), $1 * shift[i])):(smaller($3, y_max)):(0): \
         (smaller($4, y_max) - smaller($3, y_max)) with vectors nohead linewidth 1.4 linecolor rgb colours[i], \
       for [i = 1:3] file(i, panel, "") using (only(present(i, panel, ""), $1 * shift[i])):2 with linespoints \
         pointtype points[i] pointsize 0.6 linewidth 1.8 linecolor rgb colours[i]
}
unset multiplot
