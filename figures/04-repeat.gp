# title: The same product again and again: the slowest calls of the processor and of the array
# needs: repeat_processor repeat_array
# shows: repeat_processor repeat_array
# The share of calls that were faster, as one call in so many: all the differences are in the last few percent.
height = 430
load "style.gp"
processor = tables."/repeat_processor.tsv"
simulated = tables."/repeat_array.tsv"
stats processor using 1:2 name "time" nooutput
stats processor using 3 name "low" nooutput
clip(y) = larger(y_min, smaller(y, y_max))
one_in(percent) = 100 / (100.0 - percent)

top_edge = 36; bottom_edge = height - 62; right_edge = width - 34
y_title = "time, over the median"
load "frame.gp"
set logscale x
eval x_range(1, one_in(time_max_x))
eval y_range(smaller(0.95, low_min - 0.02), larger(1.1, time_max_y * 1.08))
set xtics ("every call" 1, "1 in 2" 2, "1 in 5" 5, "1 in 10" 10, "1 in 20" 20, "1 in 50" 50, "1 in 100" 100, "1 in 1000" 1000)
set xlabel "takes at least as long" offset 0,0.9 textcolor rgb quiet
plot processor using (one_in($1)):(clip($3)):(clip($4)) with filledcurves fillcolor rgb purple, \
     simulated using (one_in($1)):2 with lines linewidth 2 dashtype simulated_dash linecolor rgb green, \
     processor using (one_in($1)):2 with linespoints pointtype circle pointsize 0.6 linewidth 2 linecolor rgb purple, \
     processor using (only($0 == time_records - 2, one_in($1))):2:("this processor") with labels right font near textcolor rgb purple, \
     simulated using (only($1 == 80, one_in($1))):2:("the array: always the same") with labels font near textcolor rgb green
