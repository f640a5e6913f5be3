# title: What zeros that are left out save, and where they begin to
# needs: sparse_gemv_csr32 sparse_gemv_csr16 sparse_gemv_bitmask sparse_gemv_csr32_predicted sparse_gemv_bitmask_predicted
# needs: sparse_gemv_others
# shows: sparse_gemv_csr32 sparse_gemv_bitmask sparse_gemv_others
height = 488
load "style.gp"
file(name) = tables."/".name.".tsv"
array ids[3] = ["csr32", "csr16", "bitmask"]
array names[3] = ["indices", "indices", "bitmask"]
array colours[3] = [grey, purple, ink]
array points[3] = [triangle, diamond, circle]
gemv(i) = file("sparse_gemv_".ids[i])
stats gemv(3) using 1:2 name "mask" nooutput
y_max = 2
shown(y) = y > y_max ? NaN : y
# If a curve leaves the plot, its last point inside is labelled with its maximum.
stats gemv(2) using 1:2 name "indices" nooutput
stats gemv(2) using ($2 <= y_max ? $1 : -1) name "inside" nooutput  # -1: none of them
goes_on(to) = to > y_max ? sprintf("on to %s", digits(to)) : ""

right_edge = width - 26
eval key("measured", measured_point, ink)
eval key("modelled: dashed", modelled_point, ink)
eval key("bytes alone: dotted", 0, quiet)
top_edge = 36; bottom_edge = 426
y_title = "times a vector, from memory: time over dense"
load "frame.gp"
set xrange [0:1.001]
eval y_range(0, y_max)
set xtics 0,0.2
set ytics 0,0.5
set xlabel "density" offset 0,0.9 textcolor rgb quiet
set arrow 1 from 0,1 to 1,1 nohead linewidth 1.4 linecolor rgb quiet
rise(slope) = atan2(slope * (bottom_edge - top_edge) / y_max, right_edge - left_edge) * 180 / pi
set samples 2  # a straight line in one piece, for its name to slide along
set label "32-bit indices" at 0.75,1.5 center rotate by rise(2) font along textcolor rgb quiet
set label "16-bit" at 0.85,1.275 center rotate by rise(1.5) font along textcolor rgb quiet
plot sample [x = 0:1] "+" using (x):(2 * x) with lines linewidth 1.2 dashtype quoted_dash linecolor rgb quiet, \
     [x = 0:1] "+" using (x):(1.5 * x) with lines linewidth 1.2 dashtype quoted_dash linecolor rgb quiet, \
     for [i = 1:3] file("sparse_gemv_".ids[i]."_predicted") using 1:(shown($2)) with lines linewidth 1.4 \
       dashtype modelled_dash linecolor rgb colours[i], \
     for [i = 1:3] gemv(i) using 1:(shown($2)) with linespoints pointtype points[i] pointsize 0.7 linewidth 1.8 \
       linecolor rgb colours[i], \
     gemv(2) using (only($1 == 0.2, $1)):2:("indices") with labels left font near textcolor rgb colours[2], \
     gemv(2) using (only($1 == inside_max, $1)):2:(goes_on(indices_max_y)) with labels left font near \
       textcolor rgb colours[2], \
     gemv(3) using (only($1 == 0.9, $1)):2:(names[3]) with labels right font near textcolor rgb colours[3], \
     file("sparse_gemv_others_predicted") using 1:2 with points pointtype modelled_point pointsize 1.2 \
       linecolor rgb ink, \
     file("sparse_gemv_others") using 1:2 with points pointtype square pointsize 0.7 linecolor rgb ink, \
     file("sparse_gemv_others") using 1:2:5 with labels right font near textcolor rgb ink
