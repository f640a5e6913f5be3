# title: From the call of a linear layer to its arithmetic, step by step, in four ways
# needs: steps_eager steps_compiled
# shows: steps_torch_eager steps_torch_best steps_eager steps_compiled
# A row for each step, and a dot where it ends: no bars and no lines, because on a logarithmic axis lengths do not add.
# PyTorch's dots are above ours, if the record has them.
load tables."/values.gp"
array ids[4] = ["torch_eager", "torch_best", "eager", "compiled"]
array titles[4] = ["PyTorch, eager", "PyTorch, compiled", "ours, eager", "ours, compiled"]
array tops[4]
array shares[4]  # for the last step, which is the arithmetic
has(i) = exists("have_steps_".ids[i])
file(i) = tables."/steps_".(has(i) ? ids[i] : "eager").".tsv"
rows = 0
highest = 0
do for [i = 1:4] {
  tops[i] = rows + 1
  if (has(i)) {
    now = 0
    stats file(i) using (before = now, now = $2) name "step" nooutput
    shares[i] = 100 * (1 - before / now)
    highest = highest > step_max ? highest : step_max
    rows = rows + step_records + 1.5
  }
}
height = 104 + 27 * rows
load "style.gp"
array inks[4] = [grey, purple, ink, green]
array points[4] = [circle, square, triangle, diamond]
left_edge = 118; right_edge = width - 24; top_edge = 36; bottom_edge = height - 62
y_title = "when each step ends, on a logarithmic axis"
load "frame.gp"
set logscale x
eval x_range(0.01, highest * 8)
eval y_range(-rows - 0.1, 0.3)
set xtics ("10 ns" 0.01, "100 ns" 0.1, "1 µs" 1, "10 µs" 10, "100 µs" 100, "1 ms" 1000, "10 ms" 10000)
set xlabel "time since the call, ten times as long from line to line" offset 0,0.9 textcolor rgb quiet
set grid noytics
set ytics textcolor rgb ink
in_words(us) = us < 1 ? digits(us * 1000)." ns" : digits(us)." µs"
do for [i = 1:4] {
  if (has(i)) {
    set label titles[i].": ".digits(shares[i])."% is arithmetic" at screen 2.0 / width,first -(tops[i] - 0.75) left \
      textcolor rgb inks[i]
  }
}
row(i, n) = -(tops[i] + n + 0.2)
plot for [i = 1:4] file(i) using (only(has(i), x_min)):(row(i, $1)):(x_max - x_min):(0):ytic(has(i) ? strcol(5) : "") \
       with vectors nohead linewidth 0.8 linecolor rgb grid, \
     for [i = 1:4] file(i) using (only(has(i), $2)):(row(i, $1)) with points pointtype points[i] pointsize 0.8 \
       linecolor rgb inks[i], \
     for [i = 1:4] file(i) using (only(has(i), $2)):(row(i, $1)):(in_words($2)) with labels left offset 1.1,0 \
       textcolor rgb inks[i]
