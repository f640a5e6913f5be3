# title: Speed against N: one product, written seven ways
# needs: rung_naive rung_packed
# shows: rung_*
height = 576
load "style.gp"
load tables."/values.gp"

# The naive loops wait for memory; from the register tile on, arithmetic is the limit.
look_rung_naive         = "memory  circle   measured_dash"
look_rung_loop_order    = "purple  triangle measured_dash"
look_rung_blocked       = "green   diamond  measured_dash"
look_rung_register_tile = "compute square   measured_dash"
look_rung_packed        = "grey    triangle long_dash"
look_rung_best          = "ink     circle   measured_dash best"
look_rung_best_all      = "ink     diamond  long_dash     'all threads'"
curves = ""
do for [id in series_ids] { if (id[1:5] eq "rung_") { curves = curves." ".id } }
count = words(curves)
# At a multiple of 256 the distance between rows is a power of two, or three times one, and the columns of b collide. Lines omit
# such sizes if a record has others of similar size.
is_trap(n) = int(n) % 256 == 0

have_all = exists("have_rung_best_all")
lowest = 1e30; highest = value_peak_fp32_gflops
x_min = 1e30; widest = 0
array last[count]
ordinary = 0
do for [i = 1:count] {
  stats series(i) using 1:2 name "curve" nooutput
  last[i] = curve_max_x
  lowest = smaller(curve_min_y, lowest)
  highest = larger(curve_max_y, highest)
  x_min = smaller(curve_min_x, x_min)
  widest = larger(curve_max_x, widest)
  stats series(i) using (only(!is_trap($1), $1)) name "ordinary" nooutput
  ordinary = larger(ordinary_max, ordinary)
}
x_max = widest
# The reader's own product, where there is one: its last attempt as a line, the others as dots.
have_yours = exists("yours")
your_file = have_yours ? yours : series(1)
yours_range_min_x = 0
if (have_yours) {
  stats your_file using 1:2 name "yours_range" nooutput
  lowest = smaller(yours_range_min_y, lowest)
  highest = larger(yours_range_max_y, highest)
}
on_line(n) = !is_trap(n) || ordinary < 512
roof = have_all ? value_peak_fp32_all_gflops : value_peak_fp32_gflops
highest = larger(roof, highest)

right_edge = width - 116; top_edge = 36; bottom_edge = height - 62
y_title = "speed, GFLOP/s"
load "frame.gp"
set logscale xy
set grid noxtics
eval x_range(x_min / 1.06, x_max)  # the first marks are clear of the axis
eval y_range(lowest / 2.5, highest * 1.5)  # a grid line is below all points
eval decades_on("x", "1 2 5")
eval decades_on("y", "1 2 5")
set xlabel "N, rows and columns of the matrices" offset 0,0.9 textcolor rgb quiet

# The peaks, with their names at the upper one.
do for [peak in sprintf("%.9g %.9g", roof, value_peak_fp32_gflops)] {
  set arrow from x_min,peak + 0 to x_max,peak + 0 nohead linewidth 2.4 linecolor rgb quiet
}
peaks = sprintf("one thread %s", digits(value_peak_fp32_gflops)).(have_all ? sprintf(", all %s", digits(roof)) : "")
set label "peak, GFLOP/s: ".peaks at x_min * (x_max / x_min)**0.3,roof center font along textcolor rgb quiet

set datafile missing NaN  # a line passes by it
plot for [i = 1:count] series(i) using (only(on_line($1), $1)):3:4 with filledcurves fillcolor rgb colour(i), \
     your_file using (only(have_yours && $5 > 0, $1)):2 with points pointtype earlier_point pointsize 0.6 linecolor rgb quiet, \
     your_file using (only(have_yours && $5 == 0, $1)):2 with linespoints pointtype yours_point pointsize 0.9 linewidth 1.4 \
       dashtype modelled_dash linecolor rgb ink, \
     your_file using (only(have_yours && $5 == 0 && $1 == yours_range_min_x, $1)):2:("yours") with labels right font end \
       textcolor rgb ink, \
     for [i = 1:count] series(i) using (only(on_line($1), $1)):2 with linespoints pointtype point(i) pointsize 0.55 \
       linewidth (colour(i) eq ink ? 2.6 : 1.8) dashtype dash(i) linecolor rgb colour(i), \
     for [i = 1:count] series(i) using (only(!on_line($1), $1)):2 with points pointtype point(i) \
       pointsize 0.55 linecolor rgb colour(i), \
     series(1) using (only(!on_line($1), $1)):2:(digits($1)) with labels font near textcolor rgb colour(1), \
     for [i = 1:count] series(i) using (only($1 == last[i] && $1 == widest, $1)):2:(title(i)) \
       with labels left font end textcolor rgb colour(i), \
     for [i = 1:count] series(i) using (only($1 == last[i] && $1 < widest, $1)):2:(title(i)) \
       with labels left font near textcolor rgb colour(i)
