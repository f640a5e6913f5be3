# title: How long the ranks of a pipeline wait, by the number of micro-batches
# needs: bubble_formula_4 bubble_formula_8 bubble_simulated_4 bubble_simulated_8
# shows: bubble_formula bubble_gpipe bubble_1f1b bubble_formula_4 bubble_simulated_4 bubble_formula_8 bubble_simulated_8
# The measurement is below, if the record has it: more ranks than cores are not timed.
height = 534
load "style.gp"
load tables."/values.gp"
measured = exists("have_bubble_1f1b")
file(id) = tables."/bubble_".id.".tsv"
here(id) = measured ? file(id) : file("formula_4")
stats file("formula_8") using 1 name "micros" nooutput
ranks_here = measured ? sprintf("%.0f", value_ranks) : ""

top_edge = 36; bottom_edge = height - 62; right_edge = width - 170
array kinds[3] = ["measured", "simulated", "modelled"]
array key_points[3] = [measured_point, simulated_point, modelled_point]
do for [i = measured ? 1 : 2:3] {
  eval key(kinds[i], key_points[i], ink)
}
y_title = "time spent waiting, %"
load "frame.gp"
set logscale x 2
eval x_range(micros_min / 1.1, micros_max * 1.001)  # the last point is inside in spite of rounding
set yrange [0:92]
set ytics 0,20,80
set xlabel "micro-batches in a step" offset 0,0.9 textcolor rgb quiet
array ids[2] = ["4", "8"]
array colours[2] = [green, purple]
plot for [i = 1:2] file("formula_".ids[i]) using 1:2 with lines linewidth 1.4 dashtype modelled_dash linecolor rgb colours[i], \
     for [i = 1:2] file("simulated_".ids[i]) using 1:2 with points pointtype simulated_point pointsize 0.7 \
       linewidth 1.4 linecolor rgb colours[i], \
     for [i = 1:2] file("formula_".ids[i]) using (only($1 == micros_max, $1)):2:(ids[i]." ranks") \
       with labels left font end textcolor rgb colours[i], \
     here("formula") using (only(measured, $1)):2 with linespoints pointtype modelled_point pointsize 0.7 linewidth 1.4 \
       dashtype modelled_dash linecolor rgb quiet, \
     here("formula") using (only(measured && $1 == micros_max, $1)):2:(ranks_here." ranks, modelled") \
       with labels left font end textcolor rgb quiet, \
     here("gpipe") using (only(measured, $1)):2 with linespoints pointtype circle pointsize 0.7 linewidth 1.8 \
       linecolor rgb grey, \
     here("gpipe") using (only(measured && $1 == micros_max, $1)):2:(ranks_here." ranks, GPipe") with labels left font end textcolor rgb grey, \
     here("1f1b") using (only(measured, $1)):2 with linespoints pointtype triangle pointsize 0.7 linewidth 1.8 \
       linecolor rgb ink, \
     here("1f1b") using (only(measured && $1 == micros_max, $1)):2:(ranks_here." ranks, 1F1B") with labels left font end textcolor rgb ink
