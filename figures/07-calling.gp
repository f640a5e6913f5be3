# title: How much of a small network's time goes into calling its operators
# needs: model_share_eager model_share_compiled
# shows: model_share_eager model_share_compiled model_share_torch_eager
# shows: model_share_torch_compiled model_share_torch_eager_predicted
# One prediction is drawn, of PyTorch, where it is far off: its arithmetic takes longer than the roofline allows.
height = 430
load tables."/values.gp"
load "style.gp"
array ids[4] = ["torch_eager", "torch_compiled", "eager", "compiled"]
array names[4] = ["PyTorch, eager", "PyTorch, compiled", "ours, eager", "ours, compiled"]
array inks[4] = [orange, purple, blue, green]
array marks[4] = [circle, square, triangle, diamond]
has(i) = exists("have_model_share_".ids[i])
file(i) = tables."/model_share_".(has(i) ? ids[i] : "eager").".tsv"
has_model = exists("have_model_share_torch_eager_predicted")
model = tables."/model_share_".(has_model ? "torch_eager_predicted" : "eager").".tsv"
stats model using 2 name "model" nooutput
lowest = model_min
do for [i = 1:4] {
  stats file(i) using 2 name "share" nooutput
  lowest = smaller(lowest, share_min)
}
stats file(3) using 1 name "batch" nooutput
right_edge = width - 168; top_edge = 36; bottom_edge = height - 62
y_title = "calling, % of the time"
load "frame.gp"
set logscale xy
set xrange [batch_min:batch_max * 1.01]
set yrange [lowest * 60:130]
set xtics ("1" 1, "4" 4, "16" 16, "64" 64, "256" 256, "1024" 1024)
eval decades_on("y", steps(lowest * 60, 130))
set xlabel "pictures at a time" offset 0,0.9 textcolor rgb quiet
plot model using (only(has_model, $1)):($2 * 100) with linespoints pointtype modelled_point pointsize 0.8 linewidth 1.4 \
       dashtype modelled_dash linecolor rgb orange, \
     model using (only(has_model && $1 == batch_max, $1)):($2 * 100):("predicted") with labels left font end \
       textcolor rgb orange, \
     for [i = 1:4] file(i) using (only(has(i), $1)):($2 * 100) with linespoints pointtype marks[i] pointsize 0.8 \
       linewidth 1.8 linecolor rgb inks[i], \
     for [i = 1:4] file(i) using (only(has(i) && $1 == batch_max, $1)):($2 * 100):(names[i]) with labels left font end \
       textcolor rgb inks[i]
