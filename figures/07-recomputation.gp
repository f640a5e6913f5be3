# title: A blur in two stages, by the rows that are made at a time
# needs: blur_3_time blur_3_time_predicted blur_9_time blur_9_time_predicted
# shows: blur_3_time blur_3_time_predicted blur_9_time blur_9_time_predicted
# To the left everything is computed again, to the right everything goes through memory. The lines across: a sliding window.
height = 510
load "style.gp"
load tables."/values.gp"
file(name) = tables."/blur_".name.".tsv"
array taps[2] = ["9", "3"]
array colours[2] = [green, purple]
array points[2] = [circle, triangle]
array sliding[2] = [value_blur_9_sliding_ms, value_blur_3_sliding_ms]
stats file("9_time") using 1:2 name "nine" nooutput
stats file("3_time") using 2 name "three" nooutput
stats file("9_time_predicted") using 2 name "nine_model" nooutput
stats file("3_time_predicted") using 2 name "three_model" nooutput
lowest = smaller(smaller(three_min, three_model_min), sliding[2])
highest = larger(nine_max_y, nine_model_max)
right_edge = width - 142; top_edge = 36; bottom_edge = height - 62
y_title = "time, ms"
load "frame.gp"
eval key("measured", measured_point, ink)
eval key("modelled", modelled_point, ink)
eval key("thin line: sliding, measured", 0, ink)
set logscale xy
eval x_range(0.75, nine_max_x)
eval y_range(lowest / 1.3, highest * 1.25)
eval decades_on("y", "1 2 5")
set xtics ("1" 1); set for [k = 2:20:2] xtics add (digits(2.0**k) 2.0**k)
set xlabel "rows made at a time" offset 0,0.9 textcolor rgb quiet
plot for [i = 1:2] sliding[i] with lines linewidth 1 linecolor rgb colours[i], \
     for [i = 1:2] file(taps[i]."_time_predicted") using 1:2 with linespoints pointtype modelled_point pointsize 0.6 \
       linewidth 1.4 dashtype modelled_dash linecolor rgb colours[i], \
     for [i = 1:2] file(taps[i]."_time") using 1:2 with linespoints pointtype points[i] pointsize 0.7 linewidth 2 \
       linecolor rgb colours[i], \
     for [i = 1:2] file(taps[i]."_time") using (only($1 == nine_max_x, $1)):2:(taps[i]." taps") with labels left font end \
       textcolor rgb colours[i], \
     for [i = 1:2] file(taps[i]."_time") using (only($1 == nine_max_x, $1)):(sliding[i]):(taps[i].", sliding") \
       with labels left font end textcolor rgb colours[i]
