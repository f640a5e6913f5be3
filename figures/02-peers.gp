# title: Our product against the fastest library, for each N
# needs: race best_over_peers
# shows: best_over_peers best_over_peers_all race race_all
# Above, two lines, for one thread and for all. Below, a row for each library that is the fastest at some N, marked there.
height = 500  # until the number of rows is known
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
row(library) = sum [k = 1:words(libraries)] (word(libraries, k) eq library ? k : 0)
lowest = 1; highest = 1; smallest = 1e30; x_max = 0; libraries = ""
array last[2]
do for [i = 1:1 + all] {
  stats series(i) using 1:2 name "ratio" nooutput
  stats series(i) using 3 name "low" nooutput
  stats series(i) using 4 name "high" nooutput
  stats series(i) using (row(word(strcol(5), 1)) ? 0 : (libraries = libraries." ".word(strcol(5), 1), 1)) nooutput
  last[i] = ratio_max_x
  smallest = smaller(smallest, ratio_min_x); x_max = larger(x_max, ratio_max_x)
  lowest = smaller(lowest, smaller(low_min, ratio_min_y)); highest = larger(highest, larger(high_max, ratio_max_y))
}
row_height = 26
strip_edge = 358; height = strip_edge + row_height * words(libraries) + 62
load "style.gp"
right_edge = width - 146; top_edge = 36; bottom_edge = 308
y_title = "speed over that of the fastest library"
set multiplot
load "frame.gp"
set logscale x
set grid noxtics
eval x_range(smallest / 1.08, x_max)
eval y_range(lowest - larger(0.05, 0.15 * (smaller(highest, 2) - lowest)), smaller(highest, 2) + 0.05)  # words below the lines
set xtics ("" 1)
set arrow from x_min,1 to x_max,1 nohead linewidth 2.4 linecolor rgb quiet
set label "ours is faster" at graph 0.02,graph 0.97 textcolor rgb quiet
set label "theirs is faster" at graph 0.02,graph 0.04 textcolor rgb quiet
within(y) = larger(y_min, smaller(y, y_max))
plot for [i = 1:1 + all] series(i) using 1:(within($3)):(within($4)) with filledcurves fillcolor rgb colour(i), \
     for [i = 1:1 + all] series(i) using 1:2 with linespoints pointtype point(i) pointsize 0.65 linewidth 2 \
       dashtype dash(i) linecolor rgb colour(i), \
     for [i = 1:1 + all] series(i) using (only($1 == last[i], x_max)):2:(title(i)) with labels left font end \
       textcolor rgb colour(i)

# Both marks of a row and an N are side by side, one above the line and one below it.
top_edge = strip_edge; bottom_edge = height - 62
y_title = "the fastest library"
unset label
unset arrow
load "frame.gp"
eval decades_on("x", "1 2 5")
set yrange [words(libraries) + 0.5:0.5]
unset ytics
set grid noxtics noytics
set xlabel "N, rows and columns of the matrices" offset 0,0.9 textcolor rgb quiet
do for [k = 1:words(libraries)] {
  set arrow from x_min,k to x_max,k nohead linewidth 0.8 linecolor rgb grid
  set label known(word(libraries, k)) at x_max,k left offset 1,0 textcolor rgb ink
}
plot for [i = 1:1 + all] series(i) using 1:(row(word(strcol(5), 1)) + (all ? (i - 1.5) * 0.4 : 0)) with points \
       pointtype point(i) pointsize 0.65 linecolor rgb colour(i)
unset multiplot
