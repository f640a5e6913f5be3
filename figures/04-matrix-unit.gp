# title: Products of narrow and wide numbers, against the peaks of one core
# needs: unit_peaks gemm_fp32 gemm_int8
# shows: unit_peaks gemm_fp32 gemm_int8
height = 470
load "style.gp"
peaks = tables."/unit_peaks.tsv"
curves = "gemm_fp32 gemm_int8"
look_gemm_fp32 = "purple circle   measured_dash 'fp32 product'"
look_gemm_int8 = "green  triangle measured_dash 'int8 product'"
# The peaks of the types multiplied here, and of tiles where the core has them; older records have more.
shown(type, y) = type eq "fp32" || type eq "int8" || type eq "int8 tiles" ? y : NaN
stats peaks using (shown(strcol(5), $2)) name "peak" nooutput
stats series(1) using 1 name "size" nooutput
of(type, wanted, y) = type eq wanted ? y : 0
stats peaks using (of(strcol(5), "fp32", $2)) name "fp32" nooutput
stats peaks using (of(strcol(5), "int8", $2)) name "int8" nooutput
stats peaks using (of(strcol(5), "int8 tiles", $2)) name "tiles" nooutput

top_edge = 36; bottom_edge = height - 62; right_edge = width - 116
y_title = "speed, Gop/s"
load "frame.gp"
set logscale x 2
eval x_range(size_min / 1.03, size_max * 1.001)  # the first mark is clear of the axis, and the last inside in spite of rounding
stats series(1) using 4 name "fast" nooutput
stats series(2) using 4 name "faster" nooutput
eval y_range(0, 1.12 * larger(peak_max, larger(fast_max, faster_max)))
# At the top, because no place beside a line is free of curves on every machine; in the panel, because it matters.
set label "peaks: fp32 ".digits(fp32_max).(int8_max > 0 ? ", int8 ".digits(int8_max) : ""). \
  (tiles_max > 0 ? ", int8 in tiles ".digits(tiles_max) : "") \
  at graph 0.99,first y_max - 16 * y_max / (bottom_edge - top_edge) right textcolor rgb quiet
set xlabel "N of a square product" offset 0,0.9 textcolor rgb quiet
plot peaks using (size_min):(shown(strcol(5), $2)):(size_max - size_min):(0) with vectors nohead linewidth 1.4 linecolor rgb quiet, \
     for [i = 1:2] series(i) using 1:3:4 with filledcurves fillcolor rgb colour(i), \
     for [i = 1:2] series(i) using 1:2 with linespoints pointtype point(i) pointsize 0.6 linewidth 1.8 \
       linecolor rgb colour(i), \
     for [i = 1:2] series(i) using (only($1 == size_max, $1)):2:(title(i)) \
       with labels left font end textcolor rgb colour(i)
