# title: Tokens per second through one layer, when every user has a KV cache
# needs: kv_none kv_12 kv_4 kv_1
# shows: kv_none kv_1 kv_4 kv_12 kv_none_predicted kv_1_predicted kv_4_predicted kv_12_predicted
height = 494
load "style.gp"
left_edge = 72  # for "100,000"
load tables."/values.gp"
array ids[4] = ["kv_none", "kv_1", "kv_4", "kv_12"]
array names[4] = ["no cache", "shared by 12", "shared by 3", "not shared"]
array colours[4] = [ink, green, purple, grey]
array points[4] = [circle, triangle, diamond, square]
file(i) = tables."/".ids[i].".tsv"
have(i) = exists("have_".ids[i]."_predicted")
forecast(i) = have(i) ? tables."/".ids[i]."_predicted.tsv" : file(i)

stats file(1) using 1:2 name "top" nooutput
stats forecast(1) using 2 name "above" nooutput
stats file(4) using 2 name "bottom" nooutput
top_edge = 36; bottom_edge = height - 62; right_edge = width - 122
y_title = "speed through one layer, tokens/s"
load "frame.gp"
set logscale xy
eval x_range(0.88, top_max_x * 1.001)
eval y_range(bottom_min / 1.6, larger(top_max_y, above_max) * 1.5)
eval powers_on_x
eval decades_on("y", "1 2 5")
set xlabel "batch: users, each with 1024 tokens" offset 0,0.9 textcolor rgb quiet
eval key("measured", measured_point, ink)
eval key("modelled", modelled_point, ink)

plot for [i = 1:4] forecast(i) using 1:(only(have(i), $2)) with linespoints pointtype modelled_point pointsize 0.6 \
       linewidth 1.4 dashtype modelled_dash linecolor rgb colours[i], \
     for [i = 1:4] file(i) using 1:3:4 with filledcurves fillcolor rgb colours[i], \
     for [i = 1:4] file(i) using 1:2 with linespoints pointtype points[i] pointsize 0.75 linewidth 2.2 \
       linecolor rgb colours[i], \
     for [i = 1:4] file(i) using (only($1 == top_max_x, $1)):2:(names[i]) with labels left font end \
       textcolor rgb colours[i]
