# title: Sixteen calls of a layer, and how long each takes as the number of rows changes
# needs: calls_eager calls_per_shape calls_any_rows
# shows: calls_eager calls_per_shape calls_any_rows
height = 500
load "style.gp"
array ids[3] = ["per_shape", "any_rows", "eager"]
array names[3] = ["for each shape", "for any rows", "eager"]
array colours[3] = [orange, blue, ink]
array points[3] = [circle, triangle, square]
file(i) = tables."/calls_".ids[i].".tsv"
stats file(1) using 1:2 name "calls" nooutput
lowest = 1e30
do for [i = 1:3] {
  stats file(i) using 3 name "low" nooutput
  lowest = smaller(lowest, low_min)
}
# Where the number of rows is another than in the call before.
changes = ""; rows_at = ""; before = ""
stats file(1) using (now = strcol(5), (now ne before ? (changes = changes." ".sprintf("%g", $1), rows_at = rows_at." ".word(now, 1)) : 0), before = now, $1) \
  name "shapes" nooutput

top_edge = 96; bottom_edge = height - 62; right_edge = width - 20
y_title = "time of the call, ms"
load "frame.gp"
set logscale y
set grid noxtics
low = lowest / 1.3; high = calls_max_y * 2.2
set xrange [calls_min_x - 0.5:calls_max_x + 0.5]
set yrange [low:high]
set xtics 1,1,calls_max_x
eval decades_on("y", "1 2 5")
set xlabel "call" offset 0,0.9 textcolor rgb quiet
do for [i = 1:words(changes)] {
  at = word(changes, i) - 0.5
  if (i > 1) { set arrow from at,low to at,high nohead linewidth 1.2 dashtype quoted_dash linecolor rgb quiet }
  set label word(rows_at, i)." rows" at at + 0.2,high / 1.35 left textcolor rgb quiet
}
key_y = 1 - 18.0 / height
do for [i = 1:3] {
  set label names[i] at screen (left_edge + 16 + 190.0 * (i - 1)) / width,screen key_y offset 0.6,-0.3 textcolor rgb colours[i] \
    point pointtype points[i] pointsize 0.75 linecolor rgb colours[i]
}
plot for [i = 1:3] file(i) using 1:3:4 with filledcurves fillcolor rgb colours[i], \
     for [i = 1:3] file(i) using 1:2 with linespoints pointtype points[i] pointsize 0.7 linewidth 1.8 linecolor rgb colours[i]
