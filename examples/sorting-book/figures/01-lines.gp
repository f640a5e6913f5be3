# title: Time per number of merge sort and std::sort, and the lines that they fetch, against how many numbers they sort
# needs: merge std_sort merge_lines std_sort_lines merge_lines_simulated std_sort_lines_simulated
# shows: merge std_sort merge_lines std_sort_lines merge_lines_simulated std_sort_lines_simulated
height = 640
load "style.gp"
load tables."/values.gp"
array sorts[2] = ["merge", "std_sort"]
array colours[2] = [green, purple]
array names[2] = ["merge sort", "std::sort"]
array points[2] = [circle, triangle]
file(i, end) = tables."/".sorts[i].end.".tsv"
stats file(1, "") using 1:2 name "time" nooutput
stats file(1, "_lines_simulated") using 2 name "most" nooutput
right_edge = width - 26
set logscale x 2
eval x_range(time_min_x / 1.3, time_max_x * 1.3)
fits(bytes_per_number) = value_l2_bytes / bytes_per_number  # numbers whose arrays fill L2

set multiplot
top_edge = 36; bottom_edge = 340
y_title = "measured time per number, ns"
load "frame.gp"
set xtics ("" 2**12, "" 2**14, "" 2**16, "" 2**18, "" 2**20, "" 2**22)
eval y_range(0, time_max_y * 1.4)
set arrow 1 from fits(8),y_min to fits(8),y_max nohead linewidth 1.2 dashtype quoted_dash linecolor rgb green
set arrow 2 from fits(4),y_min to fits(4),y_max nohead linewidth 1.2 dashtype quoted_dash linecolor rgb purple
plot for [i = 1:2] file(i, "") using 1:3:4 with filledcurves fillcolor rgb colours[i], \
     for [i = 1:2] file(i, "") using 1:2 with linespoints pointtype points[i] pointsize 0.6 linewidth 2 linecolor rgb colours[i], \
     for [i = 1:2] file(i, "") using 1:(only($1 == 2**14, $2)):(names[i]) with labels font near textcolor rgb colours[i]

unset label
top_edge = 394; bottom_edge = height - 62
y_title = "lines fetched into L2 per number"
load "frame.gp"
set xtics ("2¹²" 2**12, "2¹⁴" 2**14, "2¹⁶" 2**16, "2¹⁸" 2**18, "2²⁰" 2**20, "2²²" 2**22)
eval y_range(0, most_max * 1.15)
set arrow 1 from fits(8),y_min to fits(8),y_max nohead linewidth 1.2 dashtype quoted_dash linecolor rgb green
set arrow 2 from fits(4),y_min to fits(4),y_max nohead linewidth 1.2 dashtype quoted_dash linecolor rgb purple
set xlabel "n, numbers to sort" offset 0,0.9 textcolor rgb quiet
plot for [i = 1:2] file(i, "_lines") using 1:2 with lines linewidth 1.6 dashtype modelled_dash linecolor rgb colours[i], \
     for [i = 1:2] file(i, "_lines_simulated") using 1:2 with points pointtype simulated_point pointsize 0.8 linecolor rgb colours[i]
unset multiplot
