# title: What more threads bring
# needs: strong_gemm strong_dot strong_dot_near strong_serial amdahl amdahl_predicted
# shows: strong_gemm strong_dot_near strong_serial strong_serial_predicted strong_dot strong_dot_predicted amdahl amdahl_predicted
# Above, speedup over the number of threads; below, for all threads, over the share that is not shared: a curve even on two
# cores.
height = 794
load "style.gp"
load tables."/values.gp"
array ids[4] = ["strong_gemm", "strong_dot_near", "strong_serial", "strong_dot"]
array names[4] = ["product", "dot, near", "part serial", "dot, memory"]
array colours[4] = [ink, green, purple, memory]
array points[4] = [circle, triangle, diamond, square]
file(i) = tables."/".ids[i].".tsv"
have_law = exists("have_strong_serial_predicted")
law = have_law ? tables."/strong_serial_predicted.tsv" : file(3)
have_reading = exists("have_strong_dot_predicted")
reading = have_reading ? tables."/strong_dot_predicted.tsv" : file(4)
shares = tables."/amdahl.tsv"
forecast = tables."/amdahl_predicted.tsv"

stats file(1) using 1:2 name "most" nooutput
stats file(2) using 4 name "near" nooutput
stats shares using 1:4 name "share" nooutput
many = most_max_x > 8
set multiplot
right_edge = width - 132
top_edge = 36; bottom_edge = 346
y_title = "speedup over one thread; upright lines: 5 to 95% of all runs"
load "frame.gp"
if (many) { set logscale xy }
eval x_range(many ? 0.88 : 0.8, most_max_x * 1.001)
y_max = larger(larger(most_max_y, near_max), most_max_x) * 1.06
capped(y) = y > y_max ? y_max : y
# Vertical lines from the 5th to the 95th percentile, each a little further to the left, so that none hides another.
aside(x, i) = many ? x * 0.975**(i - 1) : x - 0.012 * most_max_x * (i - 1)
eval y_range(many ? 0.88 : 0, y_max)
if (many) {
  eval powers_on_x
  set ytics ("1" 1); set for [k = 1:10] ytics add (sprintf("%.0f", 2.0**k) 2.0**k)
} else {
  set xtics 1
  step = most_max_x > 4 ? 1 : 0.5
  set ytics 0,step
}
set xlabel "threads" offset 0,0.9 textcolor rgb quiet
eval key("measured", measured_point, ink)
eval key("modelled", modelled_point, ink)
plot law using 1:(only(have_law, $2)) with linespoints pointtype modelled_point pointsize 0.9 linewidth 1.6 \
       dashtype modelled_dash linecolor rgb purple, \
     reading using 1:(only(have_reading, $2)) with linespoints pointtype modelled_point pointsize 0.9 linewidth 1.6 \
       dashtype modelled_dash linecolor rgb memory, \
     for [i = 1:4] file(i) using (aside($1, i)):(capped($3)):(0):(capped($4) - capped($3)) with vectors nohead \
       linewidth 1.6 linecolor rgb colours[i], \
     for [i = 1:4] file(i) using 1:2 with linespoints pointtype points[i] pointsize 0.75 linewidth 2.2 \
       linecolor rgb colours[i], \
     for [i = 1:4] file(i) using (only($1 == most_max_x, $1)):2:(names[i]) with labels left font end \
       textcolor rgb colours[i]

unset logscale
unset label
right_edge = width - 26
top_edge = 444; bottom_edge = height - 62
y_title = sprintf("speedup of %g threads", most_max_x)
load "frame.gp"
eval x_range(0, share_max_x * 1.15)
eval y_range(0, larger(share_max_y, most_max_x) * 1.06)
set xtics 0,0.1
set ytics auto
set xlabel "share of one thread's time that is not shared" offset 0,0.9 textcolor rgb quiet
n = most_max_x
middle = int((share_records - 1) / 2) + 1
plot sample [x = 0:share_max_x * 1.15] "+" using (x):(1 / (x + (1 - x) / n)) with lines linewidth 1.6 \
       dashtype modelled_dash linecolor rgb purple, \
     forecast using 1:2 with points pointtype modelled_point pointsize 1.1 linecolor rgb purple, \
     shares using 1:3:(0):($4 - $3) with vectors nohead linewidth 3 linecolor rgb ink, \
     shares using 1:2 with points pointtype measured_point pointsize 0.75 linecolor rgb ink, \
     forecast using 1:(only($0 == middle, $2)):("Amdahl's law") with labels left font near textcolor rgb purple, \
     shares using 1:(only($0 == middle - 1, $2)):("measured") with labels right font near textcolor rgb ink
unset multiplot
