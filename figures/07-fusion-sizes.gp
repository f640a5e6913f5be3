# title: What fusion brings to relu · 0.5 + 1, over the size of its arrays
# needs: fusion_gain_by_size fusion_gain_by_size_predicted
# shows: fusion_gain_by_size fusion_gain_by_size_predicted
height = 440
load "style.gp"
gain = tables."/fusion_gain_by_size.tsv"
predicted = tables."/fusion_gain_by_size_predicted.tsv"
stats gain using 1:2 name "gain" nooutput
stats gain using 4 name "high" nooutput
stats predicted using 2 name "model" nooutput
right_edge = width - 30; top_edge = 36; bottom_edge = height - 62
y_title = "speedup over three passes, one core"
load "frame.gp"
set logscale x
set grid noxtics
set xrange [gain_min_x:gain_max_x]
set yrange [0:larger(larger(gain_max_y, model_max) * 1.1, 4)]
set ytics 0,1
set xtics (capacity(2.0**12) 2.0**12)
set for [k = 15:44:3] xtics add (capacity(2.0**k) 2.0**k)
set xlabel "size of one array" offset 0,0.9 textcolor rgb quiet
plot [gain_min_x:gain_max_x] 3 with lines linewidth 1 dashtype quoted_dash linecolor rgb quiet, \
     gain using 1:3:4 with filledcurves fillcolor rgb blue, \
     predicted using 1:2 with linespoints pointtype modelled_point pointsize 0.7 linewidth 1.8 dashtype modelled_dash \
       linecolor rgb orange, \
     gain using 1:2 with linespoints pointtype circle pointsize 0.6 linewidth 1.8 linecolor rgb blue, \
     gain using (only($0 == int(gain_records * 0.3), $1)):2:("measured") with labels left font near textcolor rgb blue, \
     predicted using (only($0 == int(gain_records * 0.6), $1)):2:("predicted from copies") \
       with labels left font near textcolor rgb orange
