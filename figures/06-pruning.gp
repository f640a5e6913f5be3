# title: What a trained network loses with its smallest weights
# needs: pruned_loss retrained_loss pruned_loss_predicted pruned_loss_2_4 retrained_loss_2_4
# shows: pruned_loss pruned_loss_predicted retrained_loss pruned_loss_2_4 retrained_loss_2_4
height = 466
load "style.gp"
load tables."/values.gp"
file(name) = tables."/".name.".tsv"
stats file("pruned_loss") using 1:2 name "pruned" nooutput
stats file("retrained_loss") using 2 name "retrained" nooutput
dense = value_pruned_dense_excess
y_min = smaller(retrained_min, dense) / 1.6
y_max = pruned_max_y * 1.6

right_edge = width - 26
eval key("simulated", simulated_point, ink)
eval key("modelled", modelled_point, ink)
top_edge = 36; bottom_edge = height - 62
y_title = "loss above the entropy of the text, nats per word"
load "frame.gp"
set logscale y
set xrange [0:1.001]
eval y_range(y_min, y_max)
set xtics 0,0.2
eval decades_on("y", "1")
set xlabel "share of the weights that are left" offset 0,0.9 textcolor rgb quiet
set arrow 1 from 0,dense to 1,dense nohead linewidth 1.4 linecolor rgb quiet
set label "all weights" at 0.02,dense offset 0,0.6 textcolor rgb quiet
plot file("pruned_loss_predicted") using 1:(only($2 < y_max, $2)) with linespoints pointtype modelled_point \
       pointsize 0.7 linewidth 1.4 dashtype modelled_dash linecolor rgb purple, \
     file("pruned_loss") using 1:2 with linespoints pointtype simulated_point pointsize 0.7 linewidth 1.8 \
       dashtype simulated_dash linecolor rgb purple, \
     file("retrained_loss") using 1:2 with linespoints pointtype triangle pointsize 0.7 linewidth 1.8 \
       dashtype simulated_dash linecolor rgb green, \
     file("pruned_loss_2_4") using 1:2 with points pointtype square pointsize 0.9 linecolor rgb purple, \
     file("retrained_loss_2_4") using 1:2 with points pointtype square pointsize 0.9 linecolor rgb green, \
     file("pruned_loss_2_4") using 1:2:("2:4") with labels left font near textcolor rgb purple, \
     file("retrained_loss_2_4") using 1:2:("2:4, trained on") with labels left font near textcolor rgb green, \
     file("pruned_loss") using (only($1 == 0.3, $1)):2:("pruned") with labels left font near textcolor rgb purple, \
     file("pruned_loss_predicted") using (only($1 == 0.7, $1)):2:("by the noise") with labels left font near \
       textcolor rgb purple, \
     file("retrained_loss") using (only($1 == 0.3, $1)):2:("trained on") with labels right font near textcolor rgb green
