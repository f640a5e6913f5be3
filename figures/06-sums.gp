# title: What is lost when many numbers are added up
# needs: sum_error_naive sum_error_chained sum_error_pairwise sum_error_wide sum_error_bf16
# needs: sum_error_bf16_stochastic sum_bound_n sum_bound_root sum_bound_log ones_fp32 ones_fp16 ones_bf16
# shows: sum_error_naive sum_error_chained sum_error_pairwise sum_error_wide sum_error_bf16
# shows: sum_error_bf16_stochastic ones_fp32 ones_fp16 ones_bf16
# Above, the error over the number of terms; below, ones are added until the accumulator stops growing.
height = 762
load "style.gp"
file(name) = tables."/".name.".tsv"
array ids[4] = ["naive", "chained", "pairwise", "wide"]
array names[4] = ["one chain", "chains", "pairwise", "fp64"]
array colours[4] = [ink, green, blue, grey]
array points[4] = [circle, triangle, square, diamond]
array narrow[2] = ["bf16", "bf16_stochastic"]
array bounds[3] = ["n", "root", "log"]
array bound_names[3] = ["u · n", "u · √n", "u · log₂ n"]
error(way) = file("sum_error_".way)
bound(of) = file("sum_bound_".of)
stats error("naive") using 1 name "terms" nooutput
stats error("bf16") using 1 name "few" nooutput
array still[3] = ["fp32", "fp16", "bf16"]
stats file("ones_fp32") using 1:2 name "ones" nooutput
stats file("ones_fp16") using 1:2 name "halves" nooutput
stats file("ones_bf16") using 1:2 name "brains" nooutput
array still_from[3] = [ones_max_x, halves_max_x, brains_max_x]

set multiplot
right_edge = width - 150
top_edge = 36; bottom_edge = 426
eval key("simulated", simulated_point, ink)
y_title = "error, over the sum; dashed: bounds, with the u of fp32"
load "frame.gp"
set logscale xy
eval x_range(terms_min / 1.8, terms_max * 1.001)  # the first mark is clear of the axis, and the last inside in spite of rounding
set yrange [3e-9:3]
set xtics ("16" 16, "2⁸" 2**8, "2¹²" 2**12, "2¹⁶" 2**16, "2²⁰" 2**20, "2²⁴" 2**24)
set ytics ("10⁻⁸" 1e-8, "10⁻⁶" 1e-6, "10⁻⁴" 1e-4, "1%%" 1e-2, "all" 1)
set xlabel "terms" offset 0,0.9 textcolor rgb quiet
plot for [i = 1:3] bound(bounds[i]) using 1:2 with lines linewidth 1.4 dashtype modelled_dash linecolor rgb quiet, \
     for [i = 1:3] bound(bounds[i]) using (only($1 == terms_max, $1)):2:(bound_names[i]) \
       with labels left font end textcolor rgb quiet, \
     error("naive") using 1:(larger($3, 3e-9)):4 with filledcurves fillcolor rgb ink, \
     for [i = 1:2] error(narrow[i]) using 1:2 with linespoints pointtype simulated_point pointsize 0.6 linewidth 1.8 \
       dashtype simulated_dash linecolor rgb purple, \
     error("bf16") using (only($1 == few_max, $1)):2:("bf16") with labels left font end textcolor rgb purple, \
     error("bf16_stochastic") using (only($1 == 2**16, $1)):2:("bf16, by chance") \
       with labels center font near textcolor rgb purple, \
     for [i = 1:4] error(ids[i]) using 1:2 with linespoints pointtype points[i] pointsize 0.6 linewidth 1.8 \
       linecolor rgb colours[i], \
     for [i = 1:4] error(ids[i]) using (only($1 == terms_max, $1)):2:(names[i]) \
       with labels left font end textcolor rgb colours[i]

unset label
top_edge = 530; bottom_edge = height - 62
y_title = "sum of n ones"
load "frame.gp"
eval x_range(0.6, ones_max_x * 1.001)
eval y_range(0.6, ones_max_x * 1.6)
set xtics ("1" 1, "2⁴" 2**4, "2⁸" 2**8, "2¹¹" 2**11, "2¹⁶" 2**16, "2²⁰" 2**20, "2²⁴" 2**24)
set ytics ("1" 1, "2⁸" 2**8, "2¹⁶" 2**16, "2²⁴" 2**24)
set xlabel "n" offset 0,0.9 textcolor rgb quiet
array still_colours[3] = [ink, quiet, purple]
array still_points[3] = [circle, simulated_point, simulated_point]
array still_dashes[3] = [measured_dash, simulated_dash, simulated_dash]
plot for [i = 1:3] file("ones_".still[i]) using 1:2 with linespoints pointtype still_points[i] pointsize 0.6 \
       linewidth 1.8 dashtype still_dashes[i] linecolor rgb still_colours[i], \
     for [i = 1:3] file("ones_".still[i]) using (only($1 == still_from[i], $1)):2:(still[i]) \
       with labels left font end textcolor rgb still_colours[i]
unset multiplot
