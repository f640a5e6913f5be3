# title: The same product again and again: the processor and the array
# needs: repeat_processor repeat_array
# shows: repeat_processor repeat_array
height = 430
load "style.gp"
processor = tables."/repeat_processor.tsv"
simulated = tables."/repeat_array.tsv"
stats processor using 2 name "time" nooutput
top = time_max < 1.1 ? 1.1 : time_max * 1.08
bottom = time_min > 0.95 ? 0.95 : time_min * 0.95
clip(y) = y > top ? top : y

top_edge = 36; bottom_edge = height - 62; right_edge = width - 24
y_title = "time, over the median"
load "frame.gp"
set xrange [0:100]
set yrange [bottom:top]
set xlabel "percent of the calls that took at most this long" offset 0,0.9 textcolor rgb quiet
plot processor using 1:(clip($3)):(clip($4)) with filledcurves fillcolor rgb orange, \
     simulated using 1:2 with lines linewidth 2 dashtype simulated_dash linecolor rgb blue, \
     processor using 1:2 with linespoints pointtype circle pointsize 0.5 linewidth 1.8 linecolor rgb orange, \
     processor using (only($0 == 13, $1)):2:("this processor") with labels right font near textcolor rgb orange, \
     simulated using (only($1 == 50, $1)):2:("the array: always the same") with labels font near textcolor rgb blue
