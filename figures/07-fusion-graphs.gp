# title: Four graphs, compiled: how many times as fast as operator by operator, and as PyTorch
# needs: fusion_gain fusion_gain_predicted
# shows: fusion_gain fusion_gain_predicted fusion_over_torch_compile fusion_over_torch_eager
# Above, against our own operators, beside what bytes and FLOPs predict; below, against PyTorch, where the record has it.
load tables."/values.gp"
have_torch = exists("have_fusion_over_torch_compile")
height = have_torch ? 700 : 350
load "style.gp"
gain = tables."/fusion_gain.tsv"
predicted = tables."/fusion_gain_predicted.tsv"
stats gain using 1:2 name "gain" nooutput
stats predicted using 2 name "model" nooutput
if (have_torch) {
  compile = tables."/fusion_over_torch_compile.tsv"
  eager = exists("have_fusion_over_torch_eager") ? tables."/fusion_over_torch_eager.tsv" : compile
  stats compile using 2 name "compile" nooutput
  stats eager using 2 name "eager" nooutput
}
short(label) = label eq "layer norm, linear, GELU, dropout" ? "a block" : \
               label eq "layer norm, GELU, dropout" ? "no product" : label

set multiplot
left_edge = 136; right_edge = width - 24
top_edge = 36; bottom_edge = 308
y_title = "speedup over operators one by one: bars measured, circles predicted"
load "frame.gp"
set yrange [-gain_max_x - 0.6:-0.4]
set xrange [0:larger(gain_max_y, model_max) * 1.16]
set xtics 0,1
set grid xtics noytics
set ytics textcolor rgb ink
plot gain using (0):(-$1):2:(0):ytic(short(strcol(5))) with vectors nohead linewidth 13 linecolor rgb blue, \
     gain using (larger($2, model_max * 0) + 0.03 * larger(gain_max_y, model_max)):(-$1 + 0.34):(digits($2)) \
       with labels left textcolor rgb blue, \
     predicted using 2:(-$1) with points pointtype modelled_point pointsize 1.1 linewidth 2 linecolor rgb orange

if (have_torch) {
  unset label
  top_edge = 396; bottom_edge = height - 30
  y_title = "speedup over PyTorch: bars torch.compile, triangles eager"
  load "frame.gp"
  set logscale x
  set xrange [smaller(smaller(compile_min, eager_min), 1) * 0.8:larger(compile_max, eager_max) * 1.5]
  eval decades_on("x", "1 2 5")
  set arrow from 1,-gain_max_x - 0.6 to 1,-0.4 nohead linewidth 1.6 dashtype quoted_dash linecolor rgb quiet
  x_low = smaller(smaller(compile_min, eager_min), 1) * 0.8
  plot compile using (x_low):(-$1):($2 - x_low):(0):ytic(short(strcol(5))) with vectors nohead linewidth 13 linecolor rgb blue, \
       compile using ($2 * 1.06):(-$1 + 0.34):(digits($2)) with labels left textcolor rgb blue, \
       eager using 2:(-$1) with points pointtype triangle pointsize 1.1 linecolor rgb green
}
unset multiplot
