# title: What the operations of the first version lose
# needs: told_operations told_operations_predicted
# shows: told_operations told_operations_predicted
# The record lists the operations by what they lose; the figure shows the first of them.
measured = tables."/told_operations.tsv"
predicted = tables."/told_operations_predicted.tsv"
shown = 9
height = 40 * shown + 96
load "style.gp"
stats measured every ::0::shown - 1 using 4 name "time" nooutput
rows = time_records
x_max = time_max / 1000 * 1.08

left_edge = 236; right_edge = width - 26; top_edge = 40; bottom_edge = height - 56
y_title = ""
load "frame.gp"
eval x_range(0, x_max)
set yrange [rows - 0.4:-0.6]
set grid noytics
unset ytics
set xlabel "time, ms" offset 0,0.9 textcolor rgb quiet
eval key("measured", square, green)
eval key("predicted", modelled_point, ink)

set style fill solid 0.75 noborder
plot measured every ::0::shown - 1 using (0):0:(0):($2 / 1000):($0 - 0.3):($0 + 0.3) with boxxyerror fillcolor rgb green, \
     measured every ::0::shown - 1 using ($3 / 1000):0:(smaller($4 / 1000, x_max) - $3 / 1000):(0) \
       with vectors nohead linewidth 1.6 linecolor rgb ink, \
     predicted every ::0::shown - 1 using ($2 / 1000):0 with points pointtype modelled_point pointsize 0.9 linewidth 1.6 \
       linecolor rgb ink, \
     measured every ::0::shown - 1 using (0):0:5 with labels right offset -0.8,0 font bare textcolor rgb ink
