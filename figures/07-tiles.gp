# title: The speed of a product over the height of its tile, for tiles of one to four vectors, predicted and measured
# needs: tile_speed_1 tile_speed_2 tile_speed_3 tile_speed_4
# shows: tile_speed_1 tile_speed_2 tile_speed_3 tile_speed_4
# shows: tile_speed_1_predicted tile_speed_2_predicted tile_speed_3_predicted tile_speed_4_predicted
# A panel for each width, since the curves lie on each other where tiles are small.
height = 640
load "style.gp"
array colours[4] = [orange, ink, green, blue]
array points[4] = [circle, diamond, triangle, square]
array names[4] = ["1 vector wide", "2 vectors wide", "3 vectors wide", "4 vectors wide"]
file(i) = tables."/tile_speed_".i.".tsv"
predicted(i) = tables."/tile_speed_".i."_predicted.tsv"
set xrange [0.5:16.5]
set yrange [0:108]
set ytics 0,25,100
set xtics 4,4,16

set multiplot
do for [i = 1:4] {
  unset label
  left_edge = i % 2 == 1 ? 62 : 346
  right_edge = left_edge + 252
  top_edge = i <= 2 ? 98 : 372
  bottom_edge = i <= 2 ? 308 : height - 58
  y_title = ""
  load "frame.gp"
  if (i == 1) {
    key_y = 1 - 18.0 / height
    set label "measured" at screen left_edge / (width + 0.0),screen key_y offset 0.2,-0.3 textcolor rgb ink \
      point pointtype measured_point pointsize 0.75 linecolor rgb ink
    set label "dashed: predicted" at screen (left_edge + 118.0) / width,screen key_y textcolor rgb ink
    set label "speed over the FMA peak, %" at screen 8.0 / width,screen 1 - 50.0 / height textcolor rgb quiet
  }
  set label names[i] at screen left_edge / (width + 0.0),screen title_height textcolor rgb colours[i]
  set format y (i % 2 == 1 ? "%g" : "")
  if (i > 2) { set xlabel "rows of the tile" offset 0,0.9 textcolor rgb quiet }
  plot file(i) using 1:($2 * 100) with linespoints pointtype points[i] pointsize 0.6 linewidth 2 linecolor rgb colours[i], \
       predicted(i) using 1:($2 * 100) with lines linewidth 1.2 dashtype modelled_dash linecolor rgb quiet
}
unset multiplot
