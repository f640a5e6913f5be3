# title: How much of a small network's time goes into calling its operators
# needs: model_share_eager model_share_compiled model_share_compiled_predicted
# shows: model_share_eager model_share_compiled model_share_compiled_predicted model_share_torch_eager
# shows: model_share_torch_compiled model_share_torch_eager_predicted
height = 430
load tables."/values.gp"
load "style.gp"
array ids[4] = ["torch_eager", "torch_compiled", "eager", "compiled"]
array names[4] = ["PyTorch, eager", "PyTorch, compiled", "ours, eager", "ours, compiled"]
array inks[4] = [orange, purple, blue, green]
array marks[4] = [circle, square, triangle, diamond]
has(i) = exists("have_model_share_".ids[i])
file(i) = tables."/model_share_".(has(i) ? ids[i] : "eager").".tsv"
has_model(i) = exists("have_model_share_".ids[i]."_predicted")
model(i) = tables."/model_share_".(has_model(i) ? ids[i] : "compiled")."_predicted.tsv"
highest = 0
lowest = 1
do for [i = 1:4] {
  stats file(i) using 2 name "share" nooutput
  stats model(i) using 2 name "model" nooutput
  highest = larger(highest, larger(share_max, model_max))
  lowest = smaller(lowest, smaller(share_min, model_min))
}
stats file(3) using 1 name "batch" nooutput
right_edge = width - 168; top_edge = 36; bottom_edge = height - 62
y_title = "calling, % of the time; dashes: with arithmetic at the roofline"
load "frame.gp"
set logscale xy
set xrange [batch_min:batch_max * 1.01]
set yrange [lowest * 60:highest * 150]
eval powers_on_x
eval decades_on("y", "1")
set xlabel "pictures at a time" offset 0,0.9 textcolor rgb quiet
plot for [i = 1:4] model(i) using (only(has_model(i), $1)):($2 * 100) with linespoints pointtype modelled_point \
       pointsize 0.8 linewidth 1.4 dashtype modelled_dash linecolor rgb inks[i], \
     for [i = 1:4] file(i) using (only(has(i), $1)):($2 * 100) with linespoints pointtype marks[i] pointsize 0.8 \
       linewidth 1.8 linecolor rgb inks[i], \
     for [i = 1:4] file(i) using (only(has(i) && $1 == batch_max, $1)):($2 * 100):(names[i]) with labels left font end \
       textcolor rgb inks[i]
