# title: Five graphs, compiled: how many times as fast as operator by operator, and as PyTorch
# needs: fusion_gain fusion_gain_predicted
# shows: fusion_gain fusion_gain_by_trips fusion_gain_by_bytes fusion_gain_predicted fusion_over_torch_best fusion_over_torch_eager
# Above, speedup over our own operators, beside predictions that count more and more: trips, bytes, arithmetic; below, over PyTorch, if the record has it.
load tables."/values.gp"
have_torch = exists("have_fusion_over_torch_best")
height = have_torch ? 692 : 356
load "style.gp"
gain = tables."/fusion_gain.tsv"
predicted = tables."/fusion_gain_predicted.tsv"
have_parts = exists("have_fusion_gain_by_trips") && exists("have_fusion_gain_by_bytes")
by_trips = have_parts ? tables."/fusion_gain_by_trips.tsv" : predicted
by_bytes = have_parts ? tables."/fusion_gain_by_bytes.tsv" : predicted
stats gain using 1:2 name "gain" nooutput
stats predicted using 2 name "model" nooutput
stats by_trips using 2 name "trips" nooutput
stats by_bytes using 2 name "bytes" nooutput
if (have_torch) {
  compile = tables."/fusion_over_torch_best.tsv"
  have_eager = exists("have_fusion_over_torch_eager")
  eager = have_eager ? tables."/fusion_over_torch_eager.tsv" : compile
  stats compile using 2 name "compile" nooutput
  stats eager using 2 name "eager" nooutput
}
short(label) = label eq "relu · 0.5 + 1" ? "chain" : \
               label eq "layer norm, linear, GELU, dropout" ? "block" : \
               label eq "layer norm, GELU, dropout" ? "block without its product" : label

set multiplot
left_edge = 210; right_edge = width - 24
top_edge = 36; bottom_edge = 296
y_title = ""
load "frame.gp"
eval key("measured", square, blue)
if (have_parts) {
  eval key("by trips", hollow_diamond, quiet)
  eval key("by bytes", hollow_triangle, quiet)
}
eval key(have_parts ? "by bytes and arithmetic" : "modelled", modelled_point, ink)
set label "speedup over operators one by one" at screen 2.0 / width,screen title_height textcolor rgb quiet
# A graph may save nearly all trips and gain little: a mark far to the right stands at the edge, with its number.
nearest = larger(gain_max_y, model_max)
x_max = larger(nearest, smaller(larger(trips_max, bytes_max), 1.5 * nearest)) * 1.16
marked(x) = only(have_parts && x <= x_max, x)
beyond(x) = only(have_parts && x > x_max, x_max)
apart = have_parts ? 0.27 : 0  # of the three marks of a graph
eval y_range(-gain_max_x - 0.6, -0.4)
eval x_range(0, x_max)
set xtics autofreq
set grid xtics noytics
set ytics textcolor rgb ink
set arrow 1 from 1,-gain_max_x - 0.6 to 1,-0.4 nohead linewidth 1.4 linecolor rgb quiet
set style fill solid 0.75 noborder
plot gain using (0):(-$1):(0):2:(-$1 - 0.26):(-$1 + 0.26):ytic(short(strcol(5))) with boxxyerror fillcolor rgb blue, \
     gain using 3:(-$1):(smaller($4, x_max) - $3):(0) with vectors nohead linewidth 1.6 linecolor rgb ink, \
     by_trips using (marked($2)):(-$1 + apart) with points pointtype hollow_diamond pointsize 1 linewidth 1.6 linecolor rgb quiet, \
     by_trips using (beyond($2)):(-$1 + apart):("trips: ".digits($2)." →") with labels right font bare textcolor rgb quiet, \
     by_bytes using (beyond($2)):(-$1 - 0.2):("bytes: ".digits($2)." →") with labels right font bare textcolor rgb quiet, \
     by_bytes using (marked($2)):(-$1) with points pointtype hollow_triangle pointsize 1 linewidth 1.6 linecolor rgb quiet, \
     predicted using 2:(-$1 - apart) with points pointtype modelled_point pointsize 1 linewidth 1.6 linecolor rgb ink

if (have_torch) {
  unset label
  top_edge = 386; bottom_edge = height - 40
  y_title = ""
  load "frame.gp"
  eval key("torch.compile", circle, green)
  eval key("eager", triangle, purple)
  set label "speedup over PyTorch, on a logarithmic axis" at screen 2.0 / width,screen title_height textcolor rgb quiet
  set logscale x
  eval x_range(smaller(smaller(compile_min, eager_min), 1) * 0.8, larger(compile_max, eager_max) * 1.6)
  eval decades_on("x", "1 2 5")
  plot compile using (1):(-$1):(0):(0):ytic(short(strcol(5))) with vectors nohead linecolor rgb blue, \
       compile using (1):(-$1 + 0.17):($2 - 1):(0) with vectors nohead linewidth 1.6 linecolor rgb green, \
       eager using (only(have_eager, 1)):(-$1 - 0.17):($2 - 1):(0) with vectors nohead linewidth 1.6 linecolor rgb purple, \
       compile using 2:(-$1 + 0.17) with points pointtype circle pointsize 0.9 linecolor rgb green, \
       eager using (only(have_eager, $2)):(-$1 - 0.17) with points pointtype triangle pointsize 0.9 linecolor rgb purple
}
unset multiplot
