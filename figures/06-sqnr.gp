# title: What formats keep of normally distributed numbers, over their bits
# needs: sqnr_by_bits sqnr_predicted sqnr_limit sqnr_uniform sqnr_sine sqnr_normal
# needs: sqnr_uniform_predicted sqnr_sine_predicted sqnr_normal_predicted
# shows: sqnr_by_bits sqnr_predicted sqnr_limit sqnr_uniform sqnr_sine sqnr_normal
# Above, the formats; below, a simple quantiser of 2 to 16 bits for three signals, beside 6.02 dB per bit.
height = 766
load "style.gp"
dots = tables."/sqnr_by_bits.tsv"
predicted = tables."/sqnr_predicted.tsv"
limit = tables."/sqnr_limit.tsv"
set multiplot
# ---- Formats ----
top_edge = 36; bottom_edge = 424; right_edge = width - 30
y_title = "signal over noise, dB"
eval key("measured", measured_point, ink)
eval key("modelled from the spacing", modelled_point, ink)
load "frame.gp"
set xrange [3:17]
set yrange [10:80]
set xtics ("4" 4, "6" 6, "8" 8, "10" 10, "12" 12, "14" 14, "16" 16)
set ytics 20,20,80
slope = 20 * log10(2)
rise = atan2(slope * (bottom_edge - top_edge) / 70.0, (right_edge - left_edge) / 14.0) * 180 / pi
set label "Shannon’s limit: 6.02 dB a bit" at 9,9 * slope center rotate by rise font along textcolor rgb quiet
set xlabel "bits for each number, scales included" offset 0,0.9 textcolor rgb quiet
plot limit using 1:2 smooth unique with lines linewidth 1.4 dashtype modelled_dash linecolor rgb quiet, \
     predicted using 1:2 with points pointtype modelled_point pointsize 1.15 linewidth 1.4 linecolor rgb ink, \
     dots using 1:2 with points pointtype measured_point pointsize 0.7 linecolor rgb blue, \
     dots using (only($1 < 20, $1)):2:5 with labels font near textcolor rgb ink
unset label

# ---- The line ----
curves = "sqnr_uniform sqnr_sine sqnr_normal"
look_sqnr_uniform = "green  square   measured_dash uniform"
look_sqnr_sine    = "grey   triangle measured_dash 'sine, full scale'"
look_sqnr_normal  = "purple circle   measured_dash 'normally distributed'"
expected(i) = tables."/".word(curves, i)."_predicted.tsv"
over(bits, sqnr) = sqnr - 20 * log10(2) * bits
top_edge = 532; bottom_edge = height - 62
y_title = "signal over noise, less 6.02 dB for each bit"
load "frame.gp"
set xrange [1.6:16.4]
set yrange [-12:5]
set xtics ("2" 2, "4" 4, "6" 6, "8" 8, "10" 10, "12" 12, "14" 14, "16" 16)
set ytics -10,5,5
set xlabel "bits of a plain quantiser as wide as the signal" offset 0,0.9 textcolor rgb quiet
plot for [i = 1:3] expected(i) using 1:(over($1, $2)) with lines linewidth 1.4 dashtype modelled_dash linecolor rgb colour(i), \
     for [i = 1:3] series(i) using 1:(over($1, $2)) with points pointtype point(i) pointsize 0.65 linecolor rgb colour(i), \
     for [i = 1:3] series(i) using (only($1 == 13, $1)):(over($1, $2)):(title(i)) with labels font near textcolor rgb colour(i)
unset multiplot
