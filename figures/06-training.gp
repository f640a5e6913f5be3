# title: What a small language model has still to learn, by the format that it is trained in
# needs: training_fp32 training_bf16 training_fp16 training_fp16_scaled training_fp8_scaled
# shows: training_fp32 training_bf16 training_fp16 training_fp16_scaled training_fp8_scaled
height = 454
load "style.gp"
file(name) = tables."/training_".name.".tsv"
array ids[5] = ["fp32", "bf16", "fp16_scaled", "fp8_scaled", "fp16"]
array names[5] = ["fp32", "bf16", "fp16, scaled", "FP8, scaled", "fp16, not scaled"]
array colours[5] = [ink, green, blue, purple, grey]
stats file("fp32") using 1:2 name "right" nooutput
stats file("fp16") using 2 name "wrong" nooutput

right_edge = width - 150; top_edge = 36; bottom_edge = height - 62
eval key("simulated", simulated_point, ink)
y_title = "loss above the entropy of the text, nats per word"
load "frame.gp"
set logscale y
eval x_range(-0.03 * right_max_x, right_max_x * 1.001)  # the last point is inside in spite of rounding
eval y_range(right_min_y / 1.6, larger(2, wrong_max) * 1.6)
set ytics ("0.001" 0.001, "0.01" 0.01, "0.1" 0.1, "1" 1, "10" 10, "100" 100)
set xlabel "steps" offset 0,0.9 textcolor rgb quiet
plot for [i = 1:5] file(ids[i]) using 1:2 with linespoints pointtype simulated_point pointsize 0.6 linewidth 1.6 \
       dashtype simulated_dash linecolor rgb colours[i], \
     for [i = 1:5] file(ids[i]) using (only($1 == right_max_x, $1)):2:(names[i]) \
       with labels left font end textcolor rgb colours[i]
