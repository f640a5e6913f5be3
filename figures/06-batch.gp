# title: What fp16 learns, by the tokens in a batch that the loss is the mean of
# needs: batch_fp16 batch_fp16_scaled batch_lost
# shows: batch_fp16 batch_fp16_scaled batch_lost
# Above, what is still to learn after as many steps; below, the gradients that are too small for fp16, as fp32 has them.
height = 694
load "style.gp"
load tables."/values.gp"
alone = tables."/batch_fp16.tsv"
scaled = tables."/batch_fp16_scaled.tsv"
lost = tables."/batch_lost.tsv"
stats alone using 1:2 name "alone" nooutput
stats scaled using 2 name "scaled" nooutput

set multiplot
right_edge = width - 120
top_edge = 36; bottom_edge = 364
eval key("simulated", simulated_point, ink)
eval key("modelled", modelled_point, ink)
y_title = "loss above the entropy of the text, nats per word"
load "frame.gp"
set logscale xy
eval x_range(alone_min_x / 2, alone_max_x * 1.001)  # the last point lies inside, rounding or not
eval y_range(scaled_min / 1.6, alone_max_y * 1.6)
set xtics ("2¹²" 2**12, "2¹⁶" 2**16, "2²⁰" 2**20, "2²⁴" 2**24, "2²⁶" 2**26)
set ytics ("0.01" 0.01, "0.1" 0.1, "1" 1, "10" 10, "100" 100)
set arrow from value_fp16_breaks_tokens_predicted,scaled_min / 1.6 to value_fp16_breaks_tokens_predicted,alone_max_y * 1.6 \
  nohead linewidth 1.6 dashtype modelled_dash linecolor rgb quiet
plot alone using 1:2 with linespoints pointtype simulated_point pointsize 0.7 linewidth 1.8 dashtype simulated_dash \
       linecolor rgb purple, \
     scaled using 1:2 with linespoints pointtype simulated_point pointsize 0.7 linewidth 1.8 dashtype simulated_dash \
       linecolor rgb green, \
     alone using (only($1 == alone_max_x, $1)):2:("fp16") with labels left font end textcolor rgb purple, \
     scaled using (only($1 == alone_max_x, $1)):2:("fp16, scaled") with labels left font end textcolor rgb green

unset label
unset arrow
top_edge = 454; bottom_edge = height - 62
y_title = "gradients too small for fp16, %"
load "frame.gp"
unset logscale y
set yrange [0:105]
set ytics 0,25,100
set xlabel "tokens in a batch" offset 0,0.9 textcolor rgb quiet
set arrow from value_fp16_breaks_tokens_predicted,0 to value_fp16_breaks_tokens_predicted,105 \
  nohead linewidth 1.6 dashtype modelled_dash linecolor rgb quiet
plot lost using 1:2 with linespoints pointtype modelled_point pointsize 0.7 linewidth 1.8 dashtype modelled_dash \
       linecolor rgb ink
unset multiplot
