# title: The roofline of the first TPU
# needs: tpuv1_roof tpuv1_tops
# shows: tpuv1_roof tpuv1_tops
height = 460
load "style.gp"
load tables."/values.gp"
roof = tables."/tpuv1_roof.tsv"
apps = tables."/tpuv1_tops.tsv"
stats roof using 1:2 name "roof" nooutput
bandwidth = roof_min_y / roof_min_x
x_min = roof_min_x; x_max = roof_max_x; y_min = 1; y_max = 250

top_edge = 36; bottom_edge = height - 62; right_edge = width - 30
y_title = "speed, TOPS"
load "frame.gp"
set logscale xy
eval x_range(x_min, x_max)
eval y_range(y_min, y_max)
eval decades_on("x", "1")
set ytics ("1" 1, "3" 3, "10" 10, "30" 30, "100" 100)
set xlabel "multiplications per byte of weights" offset 0,0.9 textcolor rgb quiet
set arrow from value_tpuv1_ridge,roof_max_y to value_tpuv1_ridge,y_min nohead linewidth 1 dashtype quoted_dash linecolor rgb quiet
set label sprintf("ridge %s", digits(value_tpuv1_ridge)) at value_tpuv1_ridge,1.4 center font over textcolor rgb ink
rise = atan2((bottom_edge - top_edge) / log10(y_max / y_min), (right_edge - left_edge) / log10(x_max / x_min)) / pi * 180
set label "weights from DRAM" at 60,60 * bandwidth rotate by rise font along textcolor rgb memory
set label sprintf("all cells, %s TOPS", digits(roof_max_y)) at x_max * 0.9,roof_max_y right font along textcolor rgb compute

plot roof using 1:2 with lines linewidth 2.2 dashtype modelled_dash linecolor rgb ink, \
     apps using 1:2 with points pointtype quoted_point pointsize 0.95 linecolor rgb grey, \
     apps using 1:2:5 with labels left font near textcolor rgb ink
