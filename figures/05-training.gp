# title: Efficiency of training on all ranks, by cut: measured and modelled
# needs: training_efficiency training_efficiency_predicted
# shows: training_efficiency training_efficiency_predicted
height = 310
load "style.gp"
measured = tables."/training_efficiency.tsv"
predicted = tables."/training_efficiency_predicted.tsv"
stats measured using 1:2 name "way" nooutput

stats predicted using 1:2 name "model" nooutput

top_edge = 36; bottom_edge = height - 36; left_edge = 176; right_edge = width - 24
y_title = "efficiency, %: bars measured, circles modelled"
load "frame.gp"
row(i) = -i
beyond = larger(way_max_y, model_max_y)
eval y_range(-way_max_x - 0.6, -0.4)
eval x_range(0, larger(118, beyond * 1.15))
set xtics 0,25,100
set grid xtics noytics
set ytics textcolor rgb ink
plot measured using (0):(row($1)):2:(0):ytic(5) with vectors nohead linewidth 13 linecolor rgb blue, \
     measured using (beyond + 4):(row($1)):(digits($2)) with labels left textcolor rgb blue, \
     predicted using 2:(row($1)) with points pointtype modelled_point pointsize 1.1 linewidth 2 linecolor rgb ink
