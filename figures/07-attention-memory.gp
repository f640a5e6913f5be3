# title: The memory that attention takes, with its matrix and without, over the number of tokens
# needs: flash_memory_predicted naive_memory_predicted
# shows: flash_memory flash_memory_predicted naive_memory naive_memory_predicted
height = 414
load "style.gp"
load tables."/values.gp"
array ways[2] = ["naive", "flash"]
array titles[2] = ["with its matrix", "without its matrix"]
array colours[2] = [purple, green]
array points[2] = [triangle, circle]
counted(i) = tables."/".ways[i]."_memory_predicted.tsv"
present(i) = exists("have_".ways[i]."_memory")
measured(i) = present(i) ? tables."/".ways[i]."_memory.tsv" : counted(i)
stats counted(1) using 1:2 name "most" nooutput
stats counted(2) using 1:2 name "least" nooutput

left_edge = 78; right_edge = width - 30; top_edge = 36; bottom_edge = height - 62
y_title = "memory of one head, operands and result among it"
load "frame.gp"
eval key("measured", measured_point, ink)
eval key("modelled", modelled_point, ink)
set logscale xy
set grid noxtics
eval x_range(most_min_x / 1.2, most_max_x * 1.001)
eval y_range(least_min_y / 1.6, most_max_y * 1.6)
set xtics ("" 1)
set for [k = 5:20] xtics add (digits(2.0**k) 2.0**k)
set ytics ("" 1)
set for [k = 20:40:2] ytics add (capacity(2.0**k) 2.0**k)
set xlabel "tokens" offset 0,0.9 textcolor rgb quiet
plot for [i = 1:2] counted(i) using 1:2 with linespoints pointtype modelled_point pointsize 1.1 linewidth 1.6 \
       dashtype modelled_dash linecolor rgb colours[i], \
     for [i = 1:2] measured(i) using (only(present(i), $1)):2 with points pointtype points[i] pointsize 0.6 \
       linecolor rgb colours[i], \
     for [i = 1:2] counted(i) using (only($0 == int(most_records * 0.5), $1)):2:(titles[i]) \
       with labels left font near textcolor rgb colours[i]
