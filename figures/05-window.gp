# title: How many times as fast as MPI_Allreduce, by size
# needs: over_mpi_ring over_mpi_doubling
# shows: over_mpi_ring over_mpi_doubling over_mpi_through_window over_mpi_in_window
height = 470
load "style.gp"
load tables."/values.gp"
file(name) = tables."/over_mpi_".name.".tsv"
array ids[4] = ["doubling", "ring", "through_window", "in_window"]
array names[4] = ["doubling", "ring", "through window", "in window"]
array colours[4] = [purple, ink, green, grey]
array points[4] = [circle, triangle, square, diamond]
ways = exists("have_over_mpi_in_window") ? 4 : 2
stats file("ring") using 1:2 name "size" nooutput
stats file("doubling") using 2 name "low" nooutput
stats file(ids[ways]) using 2 name "high" nooutput
stats file(ids[ways - 1]) using 2 name "also" nooutput

right_edge = width - 150; top_edge = 36; bottom_edge = height - 62
y_title = "times as fast as MPI_Allreduce"
load "frame.gp"
set logscale xy 2
eval x_range(size_min_x / 1.5, size_max_x * 1.001)  # the last point is inside in spite of rounding
set xtics ("4 B" 4, "256 B" 256, "16 KiB" 2**14, "1 MiB" 2**20, "64 MiB" 2**26)
set ytics ("1/4" 0.25, "1/2" 0.5, "1" 1, "2" 2, "4" 4, "8" 8, "16" 16)
eval y_range(smaller(low_min, size_min_y) / 1.3, larger(also_max, larger(high_max, size_max_y)) * 1.3)
set xlabel "bytes of each rank" offset 0,0.9 textcolor rgb quiet
plot 1 with lines linewidth 1.6 linecolor rgb ink, \
     for [i = 1:ways] file(ids[i]) using 1:3:4 with filledcurves fillcolor rgb colours[i], \
     for [i = 1:ways] file(ids[i]) using 1:2 with linespoints pointtype points[i] pointsize 0.6 linewidth 1.8 \
       linecolor rgb colours[i], \
     for [i = 1:ways] file(ids[i]) using (only($1 == size_max_x, $1)):2:(names[i]) \
       with labels left font end textcolor rgb colours[i]
