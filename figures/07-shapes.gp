# title: Sixteen calls of a layer, and how long each takes as the number of rows changes
# needs: calls_eager calls_per_shape calls_any_rows
# shows: calls_eager calls_per_shape calls_any_rows
height = 500
load "style.gp"
array ids[3] = ["per_shape", "any_rows", "eager"]
array names[3] = ["for each shape", "for any rows", "eager"]
array colours[3] = [orange, blue, ink]
array points[3] = [circle, triangle, square]
array shift[3] = [0, 0.22, -0.22]  # so that the three of a call stand beside each other
file(i) = tables."/calls_".ids[i].".tsv"
stats file(1) using 1:2 name "calls" nooutput
lowest = 1e30; highest = 0
do for [i = 1:3] {
  stats file(i) using 3 name "least" nooutput
  stats file(i) using 2 name "all" nooutput
  lowest = smaller(lowest, least_min)
  highest = larger(highest, all_max)
}
# Where the number of rows is another than in the call before, and where it is one that was not met before.
changes = ""; rows_at = ""; before = ""; met = ""; new_at = ""
stats file(1) using (now = word(strcol(5), 1), \
                     now ne before ? (changes = changes." ".sprintf("%g", $1), rows_at = rows_at." ".now) : 0, \
                     strstrt(met, " ".now." ") ? 0 : (met = met." ".now." ", new_at = new_at." ".sprintf("%g", $1)." "), \
                     before = now, $1) name "shapes" nooutput
compiles(call) = strstrt(new_at, sprintf(" %g ", call)) > 0

top_edge = 76; bottom_edge = height - 62; right_edge = width - 20
y_title = "time of the call, ms"
load "frame.gp"
set logscale y
set grid noxtics
low = lowest / 1.5; high = highest * 7
set xrange [calls_min_x - 0.6:calls_max_x + 0.6]
set yrange [low:high]
set xtics 1,1,calls_max_x
eval decades_on("y", steps(low, high))
set xlabel "call" offset 0,0.9 textcolor rgb quiet
do for [i = 1:words(changes)] {
  at = word(changes, i) - 0.5
  if (i > 1) { set arrow from at,low to at,high nohead linewidth 1.2 dashtype quoted_dash linecolor rgb quiet }
  set label word(rows_at, i)." rows" at at + 0.2,high / 1.5 left textcolor rgb quiet
}
key_y = 1 - 18.0 / height
do for [i = 1:3] {
  set label names[i] at screen (left_edge + 16 + 190.0 * (i - 1)) / width,screen key_y offset 0.6,-0.3 textcolor rgb colours[i] \
    point pointtype points[i] pointsize 0.75 linecolor rgb colours[i]
}
within(value) = larger(low, smaller(value, high))
plot for [i = 1:3] file(i) using ($1 + shift[i]):(within($3)):(0):(within($4) - within($3)) with vectors nohead \
       linewidth 1.4 linecolor rgb colours[i], \
     for [i = 1:3] file(i) using ($1 + shift[i]):2 with points pointtype points[i] pointsize 0.7 linecolor rgb colours[i], \
     file(1) using (only(compiles($1) && $1 != calls_min_x, $1)):2:("compiles") with labels font near textcolor rgb colours[1], \
     file(2) using (only($1 == calls_min_x, $1 - 0.55)):($2 / 2):("both compile") with labels left font near textcolor rgb ink
