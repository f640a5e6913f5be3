# title: Attention with its matrix and without, over the number of tokens
# needs: flash_speed flash_speed_predicted flash_speed_all flash_speed_all_predicted attention_peak attention_peak_all
# shows: flash_speed flash_speed_predicted naive_speed naive_speed_predicted torch_attention_speed attention_peak
# shows: flash_speed_all flash_speed_all_predicted naive_speed_all naive_speed_all_predicted torch_attention_speed_all
# shows: attention_peak_all
# One thread above, all threads below; what the record lacks is drawn from what it has, with every point undefined.
height = 780
load "style.gp"
load tables."/values.gp"
array ways[3] = ["flash_speed", "naive_speed", "torch_attention_speed"]
array titles[3] = ["without", "with", "PyTorch"]
array colours[3] = [blue, orange, green]
array points[3] = [circle, triangle, diamond]
suffix(panel) = panel == 2 ? "_all" : ""
present(i, panel, more) = exists("have_".ways[i].suffix(panel).more)
file(i, panel, more) = tables."/".ways[present(i, panel, more) ? i : 1].suffix(panel).more.".tsv"
peak(panel) = tables."/attention_peak".suffix(panel).".tsv"

right_edge = width - 88
set grid noxtics
set multiplot
do for [panel = 1:2] {
  set autoscale xy
  unset logscale  # stats rounds what it reads off a logarithmic axis
  stats peak(panel) using 1:2 name "peak" nooutput
  unset label
  top_edge = panel == 1 ? 62 : 424
  bottom_edge = panel == 1 ? 366 : height - 62
  y_title = "speed, GFLOP/s, ".(panel == 1 ? "one thread" : "all threads")
  load "frame.gp"
  if (panel == 1) {
    key_y = 1 - 18.0 / height
    set label "measured" at screen left_edge / (width + 0.0),screen key_y offset 0.4,-0.35 textcolor rgb ink \
      point pointtype measured_point pointsize 0.75 linecolor rgb ink
    set label "predicted" at screen (left_edge + 110.0) / width,screen key_y offset 0.4,-0.35 textcolor rgb ink \
      point pointtype modelled_point pointsize 0.75 linecolor rgb ink
  }
  set logscale x
  set xrange [peak_min_x:peak_max_x]
  set yrange [0:peak_max_y * 1.08]
  set ytics autofreq
  set xtics ("" 1)
  if (panel == 2) {
    set for [k = 5:20] xtics add (sprintf("%.0f", 2.0**k) 2.0**k)
    set xlabel "tokens" offset 0,0.9 textcolor rgb quiet
  }
  plot peak(panel) using 1:2 with lines linewidth 2.4 linecolor rgb quiet, \
       peak(panel) using (only($1 == peak_max_x, $1)):2:("peak") with labels left font end textcolor rgb quiet, \
       for [i = 1:3] file(i, panel, "") using (only(present(i, panel, ""), $1)):3:4 with filledcurves \
         fillcolor rgb colours[i], \
       for [i = 1:2] file(i, panel, "_predicted") using (only(present(i, panel, "_predicted"), $1)):2 with linespoints \
         pointtype modelled_point pointsize 0.7 linewidth 1.6 dashtype modelled_dash linecolor rgb colours[i], \
       for [i = 1:3] file(i, panel, "") using (only(present(i, panel, ""), $1)):2 with linespoints pointtype points[i] \
         pointsize 0.6 linewidth 1.8 linecolor rgb colours[i], \
       for [i = 1:3] file(i, panel, "") using (only(present(i, panel, "") && $1 == peak_max_x, $1)):2:(titles[i]) \
         with labels left font end textcolor rgb colours[i]
}
unset multiplot
