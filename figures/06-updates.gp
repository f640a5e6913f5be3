# title: Weights that are kept in bf16 alone, at a low learning rate
# needs: training_bf16_master training_bf16_pure training_bf16_stochastic
# shows: training_bf16_master training_bf16_pure training_bf16_stochastic
height = 400
load "style.gp"
file(name) = tables."/training_bf16_".name.".tsv"
array ids[3] = ["master", "pure", "stochastic"]
array names[3] = ["fp32 master", "to nearest", "at random"]
array colours[3] = [ink, purple, green]
array sizes[3] = [1.1, 0.6, 0.6]  # the first stays visible beneath curves that coincide with it
array widths[3] = [3.2, 1.6, 1.6]
stats file("pure") using 1:2 name "still" nooutput

right_edge = width - 122; top_edge = 36; bottom_edge = height - 62
y_title = "loss above the entropy of the text, nats per word"
load "frame.gp"
eval x_range(-0.03 * still_max_x, still_max_x * 1.001)  # the last point is inside in spite of rounding
eval y_range(0, still_max_y * 1.08)
set xlabel "steps" offset 0,0.9 textcolor rgb quiet
plot for [i = 1:3] file(ids[i]) using 1:2 with linespoints pointtype simulated_point pointsize sizes[i] linewidth widths[i] \
       dashtype simulated_dash linecolor rgb colours[i], \
     for [i = 1:3] file(ids[i]) using (only($1 == still_max_x, $1)):2:(names[i]) \
       with labels left font end textcolor rgb colours[i]
