# title: All calls of relu · 0.5 + 1 together, with the time of compiling
# needs: break_even_operators break_even_compiled
# shows: break_even_operators break_even_compiled break_even_torch_eager break_even_torch_best
# Each way is a constant and so much a call; where two cross, compiling has paid.
height = 480
load "style.gp"
load tables."/values.gp"
file(name) = tables."/break_even_".name.".tsv"
array names[4] = ["operators", "compiled", "torch_eager", "torch_best"]
array titles[4] = ["by operators", "compiled", "PyTorch", "torch.compile"]
array colours[4] = [green, green, purple, purple]
array dashes[4] = [long_dash, measured_dash, long_dash, measured_dash]
have_torch = exists("have_break_even_torch_best")
from_file(i) = have_torch || i <= 2 ? file(names[i]) : file("operators")
stats file("operators") using 1:2 name "slow" nooutput
highest = slow_max_y
if (have_torch) { stats file("torch_eager") using 2 name "torch" nooutput; highest = larger(highest, torch_max) }
left_edge = 64; right_edge = width - 126; top_edge = 36; bottom_edge = height - 62
y_title = "time of all calls together, s"
load "frame.gp"
set logscale xy
eval x_range(1, slow_max_x)
eval y_range(slow_min_y / 1.5, highest * 1.6)
eval decades_on("x", "1")
eval decades_on("y", "1")
set xlabel "calls" offset 0,0.9 textcolor rgb quiet
have_ours = exists("value_compile_break_even_calls")
ours = have_ours ? value_compile_break_even_calls : 1
have_theirs = exists("value_torch_best_break_even_calls")
theirs = have_theirs ? value_torch_best_break_even_calls : 1
if (have_ours) {
  set arrow from ours,slow_min_y / 1.5 to ours,highest * 1.6 nohead linewidth 1 dashtype quoted_dash linecolor rgb green
  set label digits(ceil(ours))." calls" at ours,slow_min_y left font near textcolor rgb green
}
if (have_theirs) {
  set arrow from theirs,slow_min_y / 1.5 to theirs,highest * 1.6 nohead linewidth 1 dashtype quoted_dash linecolor rgb purple
  set label digits(ceil(theirs))." calls" at theirs,slow_min_y * 2.6 left font near textcolor rgb purple
}
plot for [i = 1:4] from_file(i) using (only(have_torch || i <= 2, $1)):2 with lines linewidth 2 dashtype dashes[i] \
       linecolor rgb colours[i], \
     for [i = 1:4] from_file(i) using (only((have_torch || i <= 2) && $1 == slow_max_x, $1)):2:(titles[i]) \
       with labels left font end textcolor rgb colours[i]
