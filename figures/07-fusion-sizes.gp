# title: What fusion brings to relu · 0.5 + 1, over the size of its arrays
# needs: fusion_gain_by_size fusion_gain_by_size_predicted
# shows: fusion_gain_by_size fusion_gain_by_size_predicted
height = 436
load "style.gp"
gain = tables."/fusion_gain_by_size.tsv"
predicted = tables."/fusion_gain_by_size_predicted.tsv"
stats gain using 1:2 name "gain" nooutput
stats predicted using 2 name "model" nooutput
y_max = larger(larger(gain_max_y, model_max) * 1.12, 4)
right_edge = width - 30; top_edge = 36; bottom_edge = height - 62
y_title = "speedup over three passes, one core"
load "frame.gp"
eval key("measured", circle, blue)
eval key("modelled from copies", modelled_point, ink)
eval key("dotted: one pass for three", 0, quiet)
set logscale x
eval x_range(gain_min_x / 1.5, gain_max_x * 1.5)
eval y_range(0, y_max)
set ytics 0,1
set xtics (capacity(2.0**12) 2.0**12)
set for [k = 14:40:2] xtics add (k % 4 == 0 ? capacity(2.0**k) : "" 2.0**k)
set xlabel "size of one array" offset 0,0.9 textcolor rgb quiet
plot 3 with lines linewidth 1.4 dashtype quoted_dash linecolor rgb grey, \
     gain using 1:(smaller($3, y_max)):(0):(smaller($4, y_max) - smaller($3, y_max)) with vectors nohead linewidth 1.4 \
       linecolor rgb blue, \
     predicted using 1:2 with linespoints pointtype modelled_point pointsize 0.7 linewidth 1.8 dashtype modelled_dash \
       linecolor rgb ink, \
     gain using 1:2 with linespoints pointtype circle pointsize 0.7 linewidth 1.8 linecolor rgb blue
