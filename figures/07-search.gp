# title: How near the best of 1024 ways to multiply matrices a search comes, over its trials
# needs: search_square_random search_square_model search_narrow_random search_narrow_evolution search_narrow_model
# shows: search_square_random search_square_random_predicted search_square_evolution search_square_model
# shows: search_narrow_random search_narrow_random_predicted search_narrow_evolution search_narrow_model
# Two shapes, one above the other: a square, for which many candidates are fast, and a narrow one, for which few are. A panel
# for each search, because their spreads overlap; the random search is drawn behind the others, for comparison. Evolution begins
# with as many random trials as it has parents, and is drawn from there on.
height = 684
load "style.gp"
array shapes[2] = ["square", "narrow"]
array searches[3] = ["random", "evolution", "model"]
array colours[3] = [purple, green, ink]
array names[3] = ["at random", "by evolution", "by a model"]
array points[3] = [circle, triangle, diamond]
parents = 16
file(shape, i) = tables."/search_".shapes[shape]."_".searches[i].".tsv"
predicted(shape) = tables."/search_".shapes[shape]."_random_predicted.tsv"
stats file(1, 1) using 1 name "trials" nooutput
lowest = 2; highest = 0
do for [shape = 1:2] {
  do for [i = 1:3] {
    stats file(shape, i) using 2 name "found" nooutput
    lowest = smaller(lowest, found_min)
    highest = larger(highest, found_max)
  }
}
y_min = larger(0.1, smaller(0.5, (lowest - 1) * 70)); y_max = larger(130, (highest - 1) * 130)
within(ratio) = larger(y_min, smaller((ratio - 1) * 100, y_max))
drawn(i, trial) = i != 2 || trial >= parents
wide = 148; gap = 16

set multiplot
set logscale xy
eval x_range(0.9, trials_max * 1.1)
eval y_range(y_min, y_max)
unnamed_on_y = 'set ytics ("" 1); set for [k = -1:2] for [m in "1 5"] ytics add ("" m * 10.0**k)'
do for [shape = 1:2] {
  do for [i = 1:3] {
    unset label
    left_edge = 62 + (i - 1) * (wide + gap)
    right_edge = left_edge + wide
    top_edge = shape == 1 ? 84 : 392
    bottom_edge = shape == 1 ? 314 : height - 62
    y_title = ""
    load "frame.gp"
    if (i == 1) {
      set label (shape == 1 ? "a square" : "a narrow shape").": slower than the best of all, %" \
        at screen 2.0 / width,screen 1 - (top_edge - 48.0) / height textcolor rgb quiet
    }
    set label names[i] at screen left_edge / (width + 0.0),screen title_height textcolor rgb colours[i]
    eval i == 1 ? decades_on("y", "1 5") : unnamed_on_y
    if (shape == 1) { set xtics ("" 1, "" 16, "" 256) } else { set xtics ("1" 1, "16" 16, "256" 256) }
    if (shape == 2 && i == 2) { set xlabel "trials" offset 0,0.9 textcolor rgb quiet } else { unset xlabel }
    set arrow 1 from trials_max / 10.0,y_min to trials_max / 10.0,y_max nohead linewidth 1 dashtype quoted_dash linecolor rgb quiet
    if (shape == 1 && i == 1) {
      set label "a tenth" at trials_max / 11.0,y_min * (y_max / y_min)**0.94 right font bare textcolor rgb quiet
    }
    plot file(shape, i) using (only(drawn(i, $1), $1)):(within($3)):(within($4)) with filledcurves fillcolor rgb colours[i], \
         file(shape, 1) using (only(i > 1, $1)):(within($2)) with lines linewidth 1.2 linecolor rgb grey, \
         predicted(shape) using (only(i == 1 && ($2 - 1) * 100 >= y_min, $1)):(within($2)) with lines linewidth 1.6 \
           dashtype modelled_dash linecolor rgb quiet, \
         file(shape, i) using (only(drawn(i, $1), $1)):(within($2)) with linespoints pointtype points[i] pointsize 0.55 \
           linewidth 1.8 linecolor rgb colours[i], \
         predicted(shape) using (only(shape == 1 && i == 1 && $1 == 64, $1)):(within($2)):("modelled") \
           with labels right font near textcolor rgb quiet
  }
}
unset multiplot
