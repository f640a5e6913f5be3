# title: A blur in two stages, by the rows that are made at a time
# needs: blur_3_time blur_3_time_predicted blur_9_time blur_9_time_predicted
# shows: blur_3_time blur_3_time_predicted blur_9_time blur_9_time_predicted
# To the left everything is computed again, to the right everything goes through memory. The lines across: a sliding window.
height = 520
load "style.gp"
load tables."/values.gp"
file(name) = tables."/blur_".name.".tsv"
stats file("9_time") using 1:2 name "nine" nooutput
stats file("3_time") using 2 name "three" nooutput
stats file("9_time_predicted") using 2 name "nine_model" nooutput
stats file("3_time_predicted") using 2 name "three_model" nooutput
lowest = smaller(smaller(three_min, three_model_min), smaller(value_blur_3_sliding_ms, value_blur_3_sliding_predicted_ms))
highest = larger(nine_max_y, nine_model_max)
right_edge = width - 90; top_edge = 36; bottom_edge = height - 62
y_title = "time, ms: solid measured, dashed predicted"
load "frame.gp"
set logscale xy
set xrange [1:nine_max_x]
set yrange [lowest / 1.3:highest * 1.25]
eval decades_on("y", "1 2 5")
set xtics ("1" 1); set for [k = 2:20:2] xtics add (sprintf("%.0f", 2.0**k) 2.0**k)
set xlabel "rows made at a time" offset 0,0.9 textcolor rgb quiet
plot [1:nine_max_x] value_blur_9_sliding_ms with lines linewidth 1.4 dashtype long_dash linecolor rgb blue, \
     value_blur_3_sliding_ms with lines linewidth 1.4 dashtype long_dash linecolor rgb orange, \
     file("9_time_predicted") using 1:2 with linespoints pointtype modelled_point pointsize 0.6 linewidth 1.6 \
       dashtype modelled_dash linecolor rgb blue, \
     file("3_time_predicted") using 1:2 with linespoints pointtype modelled_point pointsize 0.6 linewidth 1.6 \
       dashtype modelled_dash linecolor rgb orange, \
     file("9_time") using 1:2 with linespoints pointtype circle pointsize 0.7 linewidth 2 linecolor rgb blue, \
     file("3_time") using 1:2 with linespoints pointtype triangle pointsize 0.7 linewidth 2 linecolor rgb orange, \
     file("9_time") using (only($1 == nine_max_x, $1)):2:("9 taps") with labels left font end textcolor rgb blue, \
     file("3_time") using (only($1 == nine_max_x, $1)):2:("3 taps") with labels left font end textcolor rgb orange, \
     file("9_time") using (only($0 == 5, $1)):(value_blur_9_sliding_ms):("sliding") with labels left font near textcolor rgb blue
