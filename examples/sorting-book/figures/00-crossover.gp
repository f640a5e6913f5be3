# title: Time per number of two sorts against how many numbers they sort
# needs: insertion quicksort
# shows: insertion quicksort
height = 430
load "style.gp"
load tables."/values.gp"
insertion = tables."/insertion.tsv"
quick = tables."/quicksort.tsv"
stats insertion using 1:2 name "slow" nooutput
stats quick using 1:2 name "fast" nooutput
# Where the curves cross: the mark that answers the chapter's question.
crossing = value_crossover
height_there = NaN; x_before = 1; y_before = 1
share(x) = log(crossing / x_before) / log(x / x_before)
stats insertion using (x_before < crossing && crossing <= $1 ? (height_there = y_before * ($2 / y_before)**share($1)) : 0, \
                       x_before = $1, y_before = $2) nooutput
top_edge = 36; bottom_edge = height - 62; right_edge = width - 26
y_title = "time per number, ns"
load "frame.gp"
set logscale xy
eval x_range(1.8, slow_max_x * 1.15)
eval y_range(smaller(slow_min_y, fast_min_y) / 1.6, larger(slow_max_y, fast_max_y) * 1.6)
set xtics ("2" 2, "8" 8, "32" 32, "128" 128, "512" 512, "2048" 2048)
set xlabel "n, numbers to sort" offset 0,0.9 textcolor rgb quiet
eval decades_on("y", "1 2 5")

predicted = value_crossover_leading_terms
set arrow from predicted,y_min to predicted,y_max nohead linewidth 1.2 dashtype modelled_dash linecolor rgb quiet
set label "predicted" at predicted,y_min * (y_max / y_min)**0.92 left offset 0.6,0 textcolor rgb quiet

plot insertion using 1:3:4 with filledcurves fillcolor rgb green, \
     quick using 1:3:4 with filledcurves fillcolor rgb purple, \
     insertion using 1:2 with linespoints pointtype circle pointsize 0.6 linewidth 2 linecolor rgb green, \
     quick using 1:2 with linespoints pointtype triangle pointsize 0.7 linewidth 2 linecolor rgb purple, \
     insertion using 1:(only($1 == 1024, $2)):("insertion sort") with labels font near textcolor rgb green, \
     quick using 1:(only($1 == 8, $2)):("quicksort") with labels font near textcolor rgb purple, \
     insertion using (only($0 == 0, crossing)):(height_there) with points pointtype circle pointsize 1 linecolor rgb ink
