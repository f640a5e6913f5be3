# title: From the call of a linear layer to its arithmetic, step by step, in four ways
# needs: steps_eager steps_compiled
# shows: steps_torch_eager steps_torch_compiled steps_eager steps_compiled
# A bar for each step, from where the one before ended. PyTorch's stand above ours, where the record has them.
load tables."/values.gp"
array ids[4] = ["torch_eager", "torch_compiled", "eager", "compiled"]
array titles[4] = ["PyTorch, eager", "PyTorch, compiled", "ours, eager", "ours, compiled"]
array tops[4]
has(i) = exists("have_steps_".ids[i])
file(i) = tables."/steps_".(has(i) ? ids[i] : "eager").".tsv"
rows = 0
highest = 0
do for [i = 1:4] {
  tops[i] = rows + 1
  if (has(i)) {
    stats file(i) using 2 name "step" nooutput
    highest = highest > step_max ? highest : step_max
    rows = rows + step_records + 1.3
  }
}
height = 90 + 27 * rows
load "style.gp"
array inks[4] = [orange, purple, blue, green]
left_edge = 118; right_edge = width - 24; top_edge = 36; bottom_edge = height - 56
y_title = "time since the call, steps on top of each other"
load "frame.gp"
set logscale x
set xrange [0.01:highest * 6]
set yrange [-rows:0.3]
set xtics ("10 ns" 0.01, "100 ns" 0.1, "1 µs" 1, "10 µs" 10, "100 µs" 100, "1 ms" 1000, "10 ms" 10000)
set grid noytics
set ytics textcolor rgb ink
in_words(us) = us < 1 ? digits(us * 1000)." ns" : digits(us)." µs"
do for [i = 1:4] {
  if (has(i)) { set label titles[i] at 0.0115,-(tops[i] - 0.75) left textcolor rgb inks[i] }
}
row(i, n) = -(tops[i] + n + 0.2)
before = 0.01
from(now, n) = (start = n == 0 ? 0.01 : before, before = now, start)
plot for [i = 1:4] file(i) using (only(has(i), from($2, $1))):(row(i, $1)):(before - start):(0):ytic(has(i) ? strcol(5) : "") \
       with vectors nohead linewidth 13 linecolor rgb inks[i], \
     for [i = 1:4] file(i) using (only(has(i), $2 * 1.12)):(row(i, $1)):(in_words($2)) with labels left \
       textcolor rgb inks[i]
