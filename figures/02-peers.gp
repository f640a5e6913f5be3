# title: The last rung against other people's libraries
# needs: race best_over_peers
# shows: best_over_peers best_over_peers_all race race_all
# One panel for one thread, and below it one for all threads where the record has them.
load tables."/values.gp"
panels = 1 + (exists("have_race_all") && exists("have_best_over_peers_all"))
height = panels == 1 ? 400 : 720
load "style.gp"

array peers[5] = ["openblas", "openblas_new", "onednn", "mkl", "libxsmm"]
array titles[5] = ["OpenBLAS", "new OpenBLAS", "oneDNN", "MKL", "libxsmm"]
array colours[5] = [blue, blue, orange, purple, green]
array points[5] = [circle, square, triangle, square, diamond]
array dashes[5] = [measured_dash, long_dash, measured_dash, measured_dash, measured_dash]
suffix(panel) = panel == 2 ? "_all" : ""
present(i) = exists("have_peer_".peers[i].suffix(panel))
race(panel) = tables."/race".suffix(panel).".tsv"
# A peer that the record lacks is drawn from the race itself, with every point undefined.
file(i) = present(i) ? tables."/peer_".peers[i].suffix(panel).".tsv" : race(panel)
fastest(panel) = tables."/best_over_peers".suffix(panel).".tsv"

right_edge = width - 142
set grid noxtics
set multiplot
do for [panel = 1:panels] {
  set autoscale xy
  unset logscale  # stats rounds what it reads off a logarithmic axis
  # What ours did at each size, to divide by.
  stats race(panel) using 1:2 name "race" nooutput
  array sizes[race_records]
  array speeds[race_records]
  stats race(panel) using (sizes[$0 + 1] = $1, speeds[$0 + 1] = $2) nooutput
  ours(n) = sum [k = 1:race_records] (sizes[k] == n ? speeds[k] : 0)
  lowest = 1; highest = 1; last_x = 1
  array ends[5]
  above = ""
  do for [i = 1:5] {
    stats file(i) using 1:(present(i) ? ours($1) / $2 : 1) name "ratio" nooutput
    lowest = smaller(ratio_min_y, lowest)
    ends[i] = ratio_max_x
    # A peer that ours is twice as fast as everywhere is named above the panel, and does not flatten the others.
    if (ratio_min_y < 2) {
      highest = larger(ratio_max_y, highest)
    } else {
      above = above.(strlen(above) > 0 ? "; " : "").sprintf("above: %s, %.2g and more", titles[i], ratio_min_y)
    }
  }
  stats fastest(panel) using 2 name "fastest" nooutput
  lowest = smaller(fastest_min, lowest)

  unset label
  unset arrow
  top_edge = panel == 1 ? 36 : 390
  bottom_edge = panel == panels ? height - 62 : 346
  y_title = "ours over theirs, ".(panel == 1 ? "one thread" : "all threads")
  load "frame.gp"
  if (strlen(above) > 0) { set label above at screen right_edge / (width + 0.0),screen title_height right textcolor rgb quiet }
  set logscale x
  set xrange [race_min_x:race_max_x]
  set yrange [lowest - 0.06:(highest > 2 ? 2 : highest) + 0.06]
  set xtics ("" 1)
  if (panel == panels) {
    set for [k = 5:14] xtics add (sprintf("%.0f", 2.0**k) 2.0**k)
    set xlabel "N, rows and columns of the matrices" offset 0,0.9 textcolor rgb quiet
  }
  set arrow from race_min_x,1 to race_max_x,1 nohead linewidth 2.4 linecolor rgb quiet
  plot for [i = 1:5] file(i) using (only(present(i), $1)):(ours($1) / $2) with linespoints pointtype points[i] \
         pointsize 0.55 linewidth 1.8 dashtype dashes[i] linecolor rgb colours[i], \
       for [i = 1:5] file(i) using (only(present(i) && $1 == ends[i], $1)):(ours($1) / $2):(titles[i]) \
         with labels left font (ends[i] == race_max_x ? end : near) textcolor rgb colours[i]
}
unset multiplot
