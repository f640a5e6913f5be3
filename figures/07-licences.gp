# title: What another order is worth, and leave to take it
# needs: licence_gains
# shows: licence_gains licence_gains_predicted
height = 520
load "style.gp"
load tables."/values.gp"
gains = tables."/licence_gains.tsv"
predicted = exists("have_licence_gains_predicted")
expected = tables."/licence_gains".(predicted ? "_predicted" : "").".tsv"
stats gains using 1:2 name "all" nooutput

left_edge = 236; right_edge = width - 24
top_edge = 70; bottom_edge = height - 62
y_title = ""
load "frame.gp"
set logscale x
set grid noytics
set xrange [0.75:50]
set yrange [all_max_x + 0.6:all_min_x - 0.6]
set xtics ("1×" 1, "2×" 2, "5×" 5, "10×" 10, "20×" 20, "50×" 50)
set xlabel "times as fast" offset 0,0.9 textcolor rgb quiet
set arrow from 1,graph 0 to 1,graph 1 nohead linewidth 1.4 linecolor rgb quiet
key_y = 1 - 22.0 / height
set label "measured" at screen left_edge / (width + 0.0),screen key_y offset 0.4,-0.3 textcolor rgb ink \
  point pointtype measured_point pointsize 0.75 linecolor rgb blue
set label "predicted" at screen (left_edge + 120.0) / width,screen key_y offset 0.4,-0.3 textcolor rgb ink \
  point pointtype modelled_point pointsize 1 linecolor rgb ink
set ytics textcolor rgb ink
plot gains using (1):1:($2 - 1):(0):ytic(5) with vectors nohead linewidth 1.6 linecolor rgb blue, \
     expected using (only(predicted, $2)):1 with points pointtype modelled_point pointsize 1.1 linewidth 1.4 linecolor rgb ink, \
     gains using 2:1 with points pointtype measured_point pointsize 0.8 linecolor rgb blue
