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
right_edge = width - 44
y_title = "speed, TFLOP/s"
load "roofline-axes.gp"

middle = sqrt(x_min * ridge)
set label sprintf("%s TB/s", digits(bandwidth)) at middle,middle * bandwidth rotate by rise font along textcolor rgb memory
set label sprintf("%s TFLOP/s", digits(peak)) at x_max * 0.9,peak right font along textcolor rgb compute

# Both roofs have the same colours as in this machine's own figure.
set arrow from x_min,x_min * bandwidth to ridge,peak nohead linewidth 3.2 linecolor rgb memory
set arrow from ridge,peak to x_max,peak nohead linewidth 3.2 linecolor rgb compute
plot kernels using 1:2 with points pointtype quoted_point pointsize 1.05 linecolor rgb ink, \
     kernels using 1:2:(sprintf("%s, %s FLOP/byte", strcol(5), digits($1))) \
       with labels left font near textcolor rgb ink
