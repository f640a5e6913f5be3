# title: The time of a product of a matrix and a vector, over the bits of a weight, and what each format brings
# needs: gemv_time gemv_time_predicted gemv_all_time gemv_all_time_predicted gemv_speedup gemv_speedup_predicted
# shows: gemv_time gemv_time_predicted gemv_all_time gemv_all_time_predicted gemv_speedup gemv_speedup_predicted
# Above, times beside the lines of reading alone; below, the speedups of one thread, format by format.
# The reader's own product in Q4_0, where there is one, has a row below: its gain with the largest matrix.
have_yours = exists("yours")
height = have_yours ? 816 : 786
load "style.gp"
file(name) = tables."/".name.".tsv"
your_file = have_yours ? yours : file("gemv_speedup")
stats file("gemv_time") using 1:2 name "one" nooutput
stats file("gemv_time_predicted") using ($2 / $1) name "slope" nooutput
stats file("gemv_all_time_predicted") using ($2 / $1) name "all_slope" nooutput
stats file("gemv_speedup") using 1:2 name "gain" nooutput
stats file("gemv_speedup_predicted") using 2 name "model" nooutput
your_row = gain_max_x + 1

set multiplot
top_edge = 36; bottom_edge = 326; right_edge = width - 24
y_title = "time for one product, ms: dots measured, lines modelled"
load "frame.gp"
eval x_range(0, 36)
eval y_range(0, larger(one_max_y, slope_mean * x_max) * 1.02e-3)
set xtics 0,4,32
set xlabel "bits of a weight, with its share of the scales" offset 0,0.9 textcolor rgb quiet
plot [x = 0:x_max] "+" using 1:(slope_mean * $1 * 1e-3) with lines linewidth 1.6 dashtype modelled_dash linecolor rgb green, \
     [x = 0:x_max] "+" using 1:(all_slope_mean * $1 * 1e-3) with lines linewidth 1.6 dashtype modelled_dash linecolor rgb purple, \
     file("gemv_time") using 1:($2 * 1e-3) with points pointtype circle pointsize 0.8 linecolor rgb green, \
     file("gemv_all_time") using 1:($2 * 1e-3) with points pointtype triangle pointsize 0.8 linecolor rgb purple, \
     file("gemv_time_predicted") using (only(strcol(5) eq "fp32", 27)):(slope_mean * 27e-3):("one thread, by bytes") \
       with labels right font near textcolor rgb green, \
     file("gemv_all_time_predicted") using (only(strcol(5) eq "fp32", 26)):(all_slope_mean * 26e-3):("all threads") \
       with labels left font near textcolor rgb purple, \
     file("gemv_time") using (only(strcol(5) eq "fp32", $1)):($2 * 1e-3):("fp32") \
       with labels right font near textcolor rgb ink, \
     file("gemv_time") using (only(strcol(5) eq "bf16", $1)):($2 * 1e-3):("16 bits") \
       with labels right font near textcolor rgb ink, \
     file("gemv_time") using (only(strcol(5) eq "int8", $1)):($2 * 1e-3):("8 bits") \
       with labels right font near textcolor rgb ink, \
     file("gemv_time") using (only(strcol(5) eq "Q4_0", $1)):($2 * 1e-3):("4 bits") \
       with labels right font near textcolor rgb ink

unset label
top_edge = 430; bottom_edge = height - 36; left_edge = 124
y_title = "speedup over fp32, one thread: bars measured, circles modelled"
load "frame.gp"
row(i) = -i
beyond = larger(gain_max_y, model_max)
if (have_yours) {
  stats your_file using 1:6 name "your_range" nooutput
  beyond = larger(beyond, your_range_max_y)
  set label "yours" at graph 0,first row(your_row) right offset -0.8,0 textcolor rgb ink
}
your_gain(shown) = have_yours && shown && column(1) == your_range_max_x ? column(6) : NaN
eval y_range(-(have_yours ? your_row : gain_max_x) - 0.6, -0.4)
eval x_range(0, beyond * 1.16)
set xtics 0,1
unset xlabel
set grid xtics noytics
set ytics textcolor rgb ink
plot file("gemv_speedup") using (0):(row($1)):2:(0):ytic(5) with vectors nohead linewidth 13 linecolor rgb green, \
     file("gemv_speedup") using (beyond * 1.05):(row($1)):(digits($2)) with labels left textcolor rgb green, \
     file("gemv_speedup_predicted") using 2:(row($1)) with points pointtype modelled_point pointsize 1.1 linewidth 2 \
       linecolor rgb ink, \
     your_file using (your_gain($5 > 0)):(row(your_row)) with points pointtype earlier_point pointsize 0.9 linecolor rgb quiet, \
     your_file using (your_gain($5 == 0)):(row(your_row)) with points pointtype yours_point pointsize 1.3 linecolor rgb ink, \
     your_file using (only(have_yours && $5 == 0 && $1 == your_range_max_x, beyond * 1.05)):(row(your_row)):(digits($6)) \
       with labels left textcolor rgb ink
unset multiplot
