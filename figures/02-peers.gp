# title: Our product against the fastest library, for each N
# needs: race best_over_peers
# shows: best_over_peers best_over_peers_all race race_all
# Two lines, for one thread and for all; a point is named if its fastest library differs from the previous point's.
height = 470
load "style.gp"
load tables."/values.gp"
all = exists("have_best_over_peers_all")
curves = "best_over_peers".(all ? " best_over_peers_all" : "")
look_best_over_peers     = "green  circle   measured_dash 'one thread'"
look_best_over_peers_all = "purple triangle long_dash     'all threads'"
# A point's label is a library's id, then the name of its kernels if they have one.
known(library) = library eq "openblas" ? "OpenBLAS" : library eq "openblas_new" ? "new OpenBLAS" : \
                 library eq "onednn" ? "oneDNN" : library eq "mkl" ? "MKL" : library eq "blis" ? "BLIS" : \
                 library eq "aocl" ? "AOCL-BLAS" : library
lowest = 1; highest = 1; smallest = 1e30; x_max = 0
array last[2]
do for [i = 1:1 + all] {
  stats series(i) using 1:2 name "ratio" nooutput
  stats series(i) using 3 name "low" nooutput
  stats series(i) using 4 name "high" nooutput
  last[i] = ratio_max_x
  smallest = smaller(smallest, ratio_min_x); x_max = larger(x_max, ratio_max_x)
  lowest = smaller(lowest, smaller(low_min, ratio_min_y)); highest = larger(highest, larger(high_max, ratio_max_y))
}
right_edge = width - 112; top_edge = 36; bottom_edge = height - 62
y_title = "speed over that of the fastest library"
load "frame.gp"
set logscale x
set grid noxtics
eval x_range(smallest / 3.0, x_max)  # room for the name of the first point
eval y_range(lowest - larger(0.05, 0.15 * (smaller(highest, 2) - lowest)), smaller(highest, 2) + 0.05)  # words below the lines
eval decades_on("x", "1 2 5")
set xlabel "N, rows and columns of the matrices" offset 0,0.9 textcolor rgb quiet
set arrow from smallest,1 to x_max,1 nohead linewidth 2.4 linecolor rgb quiet
set label "ours is faster" at graph 0.02,graph 0.97 textcolor rgb quiet
set label "theirs is faster" at graph 0.02,graph 0.04 textcolor rgb quiet
within(y) = larger(y_min, smaller(y, y_max))
before = ""
# A name has its line's colour; those of one thread are first tried above it, those of all threads below.
shifted(i, y) = y + (i == 1 ? 1 : -1) * 9 * (y_max - y_min) / (bottom_edge - top_edge)
changed(row, library) = (another = row == 0 || library ne before, before = library, another)
plot for [i = 1:1 + all] series(i) using 1:(within($3)):(within($4)) with filledcurves fillcolor rgb colour(i), \
     for [i = 1:1 + all] series(i) using 1:2 with linespoints pointtype point(i) pointsize 0.65 linewidth 2 \
       dashtype dash(i) linecolor rgb colour(i), \
     for [i = 1:1 + all] series(i) using (only(changed($0, word(strcol(5), 1)), $1)):(shifted(i, $2)):(known(word(strcol(5), 1))) \
       with labels font near textcolor rgb colour(i), \
     for [i = 1:1 + all] series(i) using (only($1 == last[i], $1)):2:(title(i)) with labels left font end \
       textcolor rgb colour(i)
