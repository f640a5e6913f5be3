# title: The time of one network, change by change
# needs: told told_predicted
# shows: told told_predicted
measured = tables."/told.tsv"
predicted = tables."/told_predicted.tsv"
height = 380
load "style.gp"
stats measured using 4 name "time" nooutput
stats predicted using 2 name "prediction" nooutput
x_max = larger(time_max, prediction_max) * 1.08

left_edge = 164; right_edge = width - 26; top_edge = 40; bottom_edge = height - 56
y_title = ""
load "frame.gp"
eval x_range(0, x_max)
set yrange [time_records - 0.4:-0.6]
set grid noytics
unset ytics
set xlabel "time for 4 photographs, ms" offset 0,0.9 textcolor rgb quiet
eval key("measured", square, green)
eval key("predicted", modelled_point, ink)

set style fill solid 0.75 noborder
plot measured using (0):0:(0):2:($0 - 0.3):($0 + 0.3) with boxxyerror fillcolor rgb green, \
     measured using 3:0:(smaller($4, x_max) - $3):(0) with vectors nohead linewidth 1.6 linecolor rgb ink, \
     predicted using 2:0 with points pointtype modelled_point pointsize 0.9 linewidth 1.6 linecolor rgb ink, \
     measured using (0):0:5 with labels right offset -0.8,0 font bare textcolor rgb ink
