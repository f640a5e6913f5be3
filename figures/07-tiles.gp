# title: The speed of a product over the height of its tile, for tiles of one to four vectors, predicted and measured
# needs: tile_speed_1 tile_speed_2 tile_speed_3 tile_speed_4
# shows: tile_speed_1 tile_speed_2 tile_speed_3 tile_speed_4
# shows: tile_speed_1_predicted tile_speed_2_predicted tile_speed_3_predicted tile_speed_4_predicted
height = 520
load "style.gp"
array colours[4] = [orange, ink, green, blue]
array points[4] = [circle, diamond, triangle, square]
array names[4] = ["1 vector wide", "2", "3", "4 vectors wide"]
array places[4] = [10, 11, 12, 13]
file(i) = tables."/tile_speed_".i.".tsv"
predicted(i) = tables."/tile_speed_".i."_predicted.tsv"
top_edge = 70; bottom_edge = height - 62; right_edge = width - 26
key_y = 1 - 18.0 / height
set label "measured" at screen left_edge / (width + 0.0),screen key_y offset 0.2,-0.3 textcolor rgb ink \
  point pointtype measured_point pointsize 0.75 linecolor rgb ink
set label "dashed: predicted" at screen (left_edge + 118.0) / width,screen key_y textcolor rgb ink
y_title = "speed over the FMA peak, %"
load "frame.gp"
set xrange [0.5:16.5]
set yrange [0:105]
set ytics 0,25,100
set xtics 2,2,16
set xlabel "rows of the tile" offset 0,0.9 textcolor rgb quiet
plot for [i = 1:4] predicted(i) using 1:($2 * 100) with lines linewidth 1.4 dashtype modelled_dash linecolor rgb colours[i], \
     for [i = 1:4] file(i) using 1:($2 * 100) with linespoints pointtype points[i] pointsize 0.6 linewidth 1.8 \
       linecolor rgb colours[i], \
     for [i = 1:4] file(i) using (only($0 == places[i], $1)):($2 * 100):(names[i]) with labels font near textcolor rgb colours[i]
