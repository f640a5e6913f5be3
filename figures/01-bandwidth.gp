# title: Bandwidth against the working set
# needs: bandwidth_read
# shows: bandwidth_read bandwidth_copy bandwidth_triad bandwidth_copy_nt bandwidth_triad_nt plateaus_bandwidth
# shows: bandwidth_read_all bandwidth_copy_all bandwidth_triad_all bandwidth_copy_nt_all bandwidth_triad_nt_all
# One panel for one thread, and, on a machine with more than one thread, a panel below it for all threads.
load tables."/values.gp"
panels = 1 + exists("have_bandwidth_read_all")
height = panels == 1 ? 470 : 786
load "style.gp"
have_levels = exists("have_plateaus_bandwidth")

# The curves in the order drawn; the dashed ones are the same kernels with non-temporal stores.
array names[5] = ["copy", "triad", "read", "copy_nt", "triad_nt"]
array titles[5] = ["copy", "triad", "read", "copy, nt", "triad, nt"]
array colours[5] = [purple, green, memory, purple, green]
array points[5] = [triangle, diamond, circle, triangle, diamond]
array dashes[5] = [measured_dash, measured_dash, measured_dash, long_dash, long_dash]
series(i) = "bandwidth_".names[i].(panel == 2 ? "_all" : "")
present(i) = exists("have_".series(i))
read = 3
# A curve that the record lacks is replaced by one that it has, with every point undefined.
file(i) = tables."/".series(present(i) ? i : read).".tsv"

# Both panels have the same axes.
smallest = 1e30; largest = 0; lowest = 1e30; highest = 0
do for [panel = 1:panels] {
  do for [i = 1:5] {
    stats file(i) using 1:2 name "curve" nooutput
    smallest = smaller(curve_min_x, smallest); largest = larger(curve_max_x, largest)
    lowest = smaller(curve_min_y, lowest)
    highest = larger(curve_max_y, highest)
  }
}
right_edge = width - (exists("have_bandwidth_copy_nt") ? 90 : 66)
set multiplot
do for [panel = 1:panels] {
  set autoscale xy
  unset logscale  # stats rounds the values it reads from a logarithmic axis
  stats file(read) using 1:2 name "read" nooutput
  named = panel == 1 && have_levels
  levels = named ? tables."/plateaus_bandwidth.tsv" : file(read)
  stats levels using 2 name "level" nooutput
  strip = named ? 60 : 20
  top_edge = panel == 1 ? 36 : 454
  bottom_edge = panel == panels ? height - 62 : 370
  y_title = "bandwidth, GB/s".(exists("have_bandwidth_copy_nt") ? "; nt: non-temporal stores" : "")
  unset label
  load "working-set.gp"
  if (panels > 1) {
    set label panel == 1 ? "one thread" : "all threads" at graph 1,screen title_height right textcolor rgb ink
  }
  if (panel == panels) { set xlabel "working set" offset 0,0.9 textcolor rgb quiet }

  plot levels using (only(named && $0 < level_records - 1, $1)):(y_min):(0):(y_max - y_min) \
         with vectors nohead linewidth 1 dashtype quoted_dash linecolor rgb quiet, \
       levels using (only(named, middle($0, $1))):(name_y):5 with labels font over textcolor rgb quiet, \
       levels using (only(named, middle($0, $1))):(value_y):(digits($2)) with labels font over textcolor rgb memory, \
       for [i = 1:5] file(i) using (only(present(i), $1)):3:4 with filledcurves fillcolor rgb colours[i], \
       for [i = 1:5] file(i) using (only(present(i), $1)):2 with linespoints pointinterval 4 pointtype points[i] \
         pointsize 0.55 linewidth 1.8 dashtype dashes[i] linecolor rgb colours[i], \
       for [i = 1:5] file(i) using (only(present(i) && $1 == read_max_x, $1)):2:(titles[i]) \
         with labels left font end textcolor rgb colours[i]
}
unset multiplot
