# title: How near the best of 1024 ways to multiply matrices a search comes, over its trials
# needs: search_square_random search_square_model search_narrow_random search_narrow_evolution search_narrow_model
# shows: search_square_random search_square_random_predicted search_square_evolution search_square_model
# shows: search_narrow_random search_narrow_random_predicted search_narrow_evolution search_narrow_model
# Two shapes, one above the other: a square, for which many ways are good, and a narrow one, for which few are.
height = 780
load "style.gp"
load tables."/values.gp"
array shapes[2] = ["square", "narrow"]
array searches[3] = ["random", "evolution", "model"]
array colours[3] = [orange, green, blue]
array names[3] = ["random; dashed: predicted", "evolution", "by a model of cost"]
array points[3] = [circle, triangle, diamond]
file(shape, i) = tables."/search_".shapes[shape]."_".searches[i].".tsv"
predicted(shape) = tables."/search_".shapes[shape]."_random_predicted.tsv"
stats file(1, 1) using 1 name "trials" nooutput
right_edge = width - 30
set multiplot
do for [shape = 1:2] {
  unset logscale
  set autoscale xy
  highest = 0
  do for [i = 1:3] {
    stats file(shape, i) using 2 name "found" nooutput
    highest = larger(highest, found_max)
  }
  unset label
  top_edge = shape == 1 ? 36 : 422
  bottom_edge = shape == 1 ? 352 : height - 62
  y_title = shape == 1 ? "a square: time over the best, %" : "a narrow shape: time over the best, %"
  load "frame.gp"
  set logscale x 2
  set xrange [1:trials_max]
  set yrange [0:(highest - 1) * 120]
  set format x (shape == 1 ? "" : "%g")
  eval powers_on_x
  set xtics ("1" 1, "4" 4, "16" 16, "64" 64, "256" 256, "1024" 1024)
  if (shape == 2) { set xlabel "trials" offset 0,0.9 textcolor rgb quiet }
  set label "a tenth" at trials_max / 10.0,graph 0.5 offset 0.4,0 left textcolor rgb quiet
  if (shape == 1) {
    do for [i = 1:3] {
      set label names[i] at graph 0.44,graph 1.04 - 0.1 * i left textcolor rgb colours[i] \
        point pointtype points[i] pointsize 0.75 linecolor rgb colours[i] offset 0.8,-0.3
    }
  }
  set arrow 1 from trials_max / 10.0,graph 0 to trials_max / 10.0,graph 1 nohead linewidth 1 dashtype quoted_dash linecolor rgb quiet
  plot file(shape, 1) using 1:(($3 - 1) * 100):(smaller($4 - 1, (highest - 1) * 1.2) * 100) \
         with filledcurves fillcolor rgb orange, \
       file(shape, 3) using 1:(($3 - 1) * 100):(smaller($4 - 1, (highest - 1) * 1.2) * 100) \
         with filledcurves fillcolor rgb blue, \
       predicted(shape) using 1:(($2 - 1) * 100) with lines linewidth 1.4 dashtype modelled_dash linecolor rgb orange, \
       for [i = 1:3] file(shape, i) using 1:(($2 - 1) * 100) with linespoints pointtype points[i] pointsize 0.6 \
         linewidth 1.8 linecolor rgb colours[i]
}
unset multiplot
