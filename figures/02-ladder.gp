# title: Speed against N: one product, written seven ways
# needs: rung_naive rung_packed
# shows: rung_naive rung_loop_order rung_blocked rung_register_tile rung_packed rung_best rung_best_all
height = 600
load "style.gp"
load tables."/values.gp"

array rungs = ["naive", "loop_order", "blocked", "register_tile", "packed", "best", "best_all"]
array titles = ["naive", "loop order", "blocking", "register tile", "packing", "best", "all threads"]
# One more rung: one more element in each of these five lists. The naive loops wait for memory; from the register tile on, arithmetic is the limit.
array colours = [memory, purple, green, compute, grey, ink, ink]
array points = [circle, triangle, diamond, square, triangle, circle, diamond]
array dashes = [measured_dash, measured_dash, measured_dash, measured_dash, long_dash, measured_dash, long_dash]
present(i) = exists("have_rung_".rungs[i])
# At a multiple of 256 the distance between rows is a power of two, or three times one, and the columns of b collide. Lines omit
# such sizes if a record has others of similar size.
is_trap(n) = int(n) % 256 == 0
# A rung that the record lacks is replaced by one that it has, with every point undefined.
file(i) = tables."/rung_".rungs[present(i) ? i : 1].".tsv"

have_all = exists("have_rung_best_all")
lowest = 1e30; highest = value_peak_fp32_gflops
x_min = 1e30; widest = 0
array last[|rungs|]
ordinary = 0
do for [i = 1:|rungs|] {
  stats file(i) using 1:2 name "curve" nooutput
  last[i] = curve_max_x
  lowest = smaller(curve_min_y, lowest)
  highest = larger(curve_max_y, highest)
  x_min = smaller(curve_min_x, x_min)
  widest = larger(curve_max_x, widest)
  stats file(i) using (only(!is_trap($1), $1)) name "ordinary" nooutput
  ordinary = larger(ordinary_max, ordinary)
}
x_max = widest
# The reader's own product, where there is one: its last attempt as a line, the others as dots.
have_yours = exists("yours")
your_file = have_yours ? yours : file(1)
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
eval x_range(x_min, x_max)
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
drawn(i, n) = present(i) && on_line(n)
at_end(i, n) = present(i) && n == last[i]
plot for [i = 1:|rungs|] file(i) using (only(drawn(i, $1), $1)):3:4 with filledcurves fillcolor rgb colours[i], \
     your_file using (only(have_yours && $5 > 0, $1)):2 with points pointtype earlier_point pointsize 0.6 linecolor rgb quiet, \
     your_file using (only(have_yours && $5 == 0, $1)):2 with linespoints pointtype yours_point pointsize 0.9 linewidth 1.4 \
       dashtype modelled_dash linecolor rgb ink, \
     your_file using (only(have_yours && $5 == 0 && $1 == yours_range_min_x, $1)):2:("yours") with labels right font end \
       textcolor rgb ink, \
     for [i = 1:|rungs|] file(i) using (only(drawn(i, $1), $1)):2 with linespoints pointtype points[i] pointsize 0.55 \
       linewidth (colours[i] eq ink ? 2.6 : 1.8) dashtype dashes[i] linecolor rgb colours[i], \
     for [i = 1:|rungs|] file(i) using (only(present(i) && !on_line($1), $1)):2 with points pointtype points[i] \
       pointsize 0.55 linecolor rgb colours[i], \
     file(1) using (only(!on_line($1), $1)):2:(digits($1)) with labels font near textcolor rgb colours[1], \
     for [i = 1:|rungs|] file(i) using (only(at_end(i, $1) && $1 == widest, $1)):2:(titles[i]) \
       with labels left font end textcolor rgb colours[i], \
     for [i = 1:|rungs|] file(i) using (only(at_end(i, $1) && $1 < widest, $1)):2:(titles[i]) \
       with labels left font near textcolor rgb colours[i]
