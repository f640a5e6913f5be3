# title: How near the best of 1024 ways to multiply matrices a search comes, over its trials
# needs: search_square_random search_square_model search_narrow_random search_narrow_evolution search_narrow_model
# shows: search_square_random search_square_random_predicted search_square_evolution search_square_model
# shows: search_narrow_random search_narrow_random_predicted search_narrow_evolution search_narrow_model
# Two shapes, one above the other: a square, for which many ways are good, and a narrow one, for which few are. Evolution
# begins with as many random trials as it has parents, and is drawn from there on.
height = 804
load "style.gp"
load tables."/values.gp"
array shapes[2] = ["square", "narrow"]
array searches[3] = ["random", "evolution", "model"]
array colours[3] = [orange, green, blue]
array names[3] = ["random", "evolution", "by a model"]
array points[3] = [circle, triangle, diamond]
parents = 16
file(shape, i) = tables."/search_".shapes[shape]."_".searches[i].".tsv"
predicted(shape) = tables."/search_".shapes[shape]."_random_predicted.tsv"
stats file(1, 1) using 1 name "trials" nooutput
right_edge = width - 112
set multiplot
do for [shape = 1:2] {
  unset logscale
  set autoscale xy
  highest = 0; lowest = 2
  do for [i = 1:3] {
    stats file(shape, i) using 2 name "found" nooutput
    highest = larger(highest, found_max)
    lowest = smaller(lowest, found_min)
  }
  unset label
  top_edge = shape == 1 ? 36 : 446
  bottom_edge = shape == 1 ? 352 : height - 62
  y_title = (shape == 1 ? "a square" : "a narrow shape").": slower than the best of all, %"
  load "frame.gp"
  set logscale x 2
  set logscale y
  y_low = larger(0.1, smaller(0.5, (lowest - 1) * 70)); y_high = larger(130, (highest - 1) * 130)
  within(ratio) = larger(y_low, smaller((ratio - 1) * 100, y_high))
  set xrange [0.9:trials_max * 1.1]
  set yrange [y_low:y_high]
  set format x (shape == 1 ? "" : "%g")
  set xtics ("1" 1, "4" 4, "16" 16, "64" 64, "256" 256, "1024" 1024)
  eval decades_on("y", "1 2 5")
  if (shape == 2) { set xlabel "trials" offset 0,0.9 textcolor rgb quiet }
  set label "a tenth" at trials_max / 10.0,y_low * (y_high / y_low)**0.9 left font near textcolor rgb quiet
  set arrow 1 from trials_max / 10.0,y_low to trials_max / 10.0,y_high nohead linewidth 1 dashtype quoted_dash linecolor rgb quiet
  plot for [i in "1 3"] file(shape, int(i)) using 1:(within($3)):(within($4)) with filledcurves fillcolor rgb colours[int(i)], \
       predicted(shape) using 1:(only(($2 - 1) * 100 >= y_low, ($2 - 1) * 100)) with lines linewidth 1.6 \
         dashtype modelled_dash linecolor rgb orange, \
       for [i = 1:3] file(shape, i) using (only(i != 2 || $1 >= parents, $1)):(within($2)) \
         with linespoints pointtype points[i] pointsize 0.6 linewidth 1.8 linecolor rgb colours[i], \
       predicted(shape) using (only($0 == 4, $1)):(within($2)):("predicted") with labels left font near textcolor rgb orange, \
       for [i = 1:3] file(shape, i) using (only($1 == trials_max, $1)):(within($2)):(names[i]) \
         with labels left font end textcolor rgb colours[i]
}
unset multiplot
