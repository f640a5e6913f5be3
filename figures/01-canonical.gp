# title: The textbook roofline, with round numbers
# needs: canonical_roof canonical_kernels
# shows: canonical_roof canonical_kernels
height = 440
load "style.gp"
roof = tables."/canonical_roof.tsv"
kernels = tables."/canonical_kernels.tsv"

stats roof using 1:2 name "roof" nooutput
bandwidth = roof_min_y / roof_min_x
peak = roof_max_y
ridge = peak / bandwidth
x_min = roof_min_x; x_max = roof_max_x; y_min = roof_min_y; y_max = peak * 4
right_edge = width - 36
y_title = "speed, TFLOP/s"
load "roofline-axes.gp"

middle = sqrt(x_min * ridge)
set label sprintf("%s TB/s", digits(bandwidth)) at middle,middle * bandwidth rotate by rise font along textcolor rgb grey
set label sprintf("%s TFLOP/s", digits(peak)) at x_max * 0.9,peak right font along textcolor rgb grey

plot roof using 1:2 with lines linewidth 2.6 dashtype quoted_dash linecolor rgb grey, \
     kernels using 1:2 with points pointtype quoted_point pointsize 0.95 linecolor rgb grey, \
     kernels using 1:2:(sprintf("%s, %s FLOP/byte", strcol(5), digits($1))) \
       with labels left font near textcolor rgb ink
