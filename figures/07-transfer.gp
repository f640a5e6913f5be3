# title: The way that is fastest for one shape of matrices, used for the others
# needs: transfer_to_square transfer_to_flat transfer_to_narrow transfer_to_small
# shows: transfer_to_square transfer_to_flat transfer_to_narrow transfer_to_small
# A table: a row for each shape, a column for what was tuned for each, and the tile chosen by hand. The darker, the slower.
height = 370
load "style.gp"
array shapes[4] = ["square", "flat", "narrow", "small"]
array names[5] = ["square", "flat", "narrow", "small", "by hand"]
file(i) = tables."/transfer_to_".shapes[i].".tsv"
array speeds[20]
do for [i = 1:4] {
  do for [j = 0:4] {
    stats file(i) every ::j::j using 2 name "cell" nooutput
    speeds[5 * i + j - 4] = cell_min
  }
}
left_edge = 90
right_edge = width - 12; top_edge = 106; bottom_edge = height - 14
y_title = ""
load "frame.gp"
unset grid
unset xtics
unset ytics
set xrange [-0.5:4.7]
set yrange [4.5:0.5]
place(j) = j < 4 ? j : 4.2  # the tile by hand was tuned for none of them, and stands apart
row_y(units) = 1 - units / height
set label "speed, % of what the row’s own tuning reaches" at screen 8.0 / width,screen row_y(18.0) textcolor rgb quiet
set label "used for" at screen 8.0 / width,screen row_y(86.0) textcolor rgb quiet
set label "tuned for" at 1.5,screen row_y(54.0) center textcolor rgb quiet
set arrow from -0.47,screen row_y(68.0) to 3.47,screen row_y(68.0) nohead linewidth 1 linecolor rgb quiet
do for [j = 0:4] { set label names[j + 1] at place(j),screen row_y(86.0) center textcolor rgb ink }
do for [i = 1:4] { set label shapes[i] at screen 8.0 / width,first i left textcolor rgb ink }
shade(v) = v > 1 ? 0.04 : v < 0.4 ? 0.7 : 0.04 + 1.1 * (1 - v)
do for [i = 1:4] {
  do for [j = 0:4] {
    set object rectangle from place(j) - 0.47,i - 0.44 to place(j) + 0.47,i + 0.44 fillcolor rgb orange fillstyle solid shade(speeds[5 * i + j - 4]) noborder
  }
}
plot for [i = 1:4] file(i) using (place($1)):(i):(sprintf("%.0f", $2 * 100)) with labels center font bare textcolor rgb ink
