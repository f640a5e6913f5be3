# title: What formats keep of normally distributed numbers, over their bits
# needs: sqnr_by_bits sqnr_predicted sqnr_limit
# shows: sqnr_by_bits sqnr_predicted sqnr_limit sqnr_trained sqnr_long_tailed
# Above, the formats over their bits, for normal numbers; below, those of 4 and 8 bits, for three kinds of numbers.
load tables."/values.gp"
have_kinds = exists("have_sqnr_trained") && exists("have_sqnr_long_tailed")
height = have_kinds ? 735 : 486
load "style.gp"
dots = tables."/sqnr_by_bits.tsv"
predicted = tables."/sqnr_predicted.tsv"
limit = tables."/sqnr_limit.tsv"
set multiplot
# ---- Formats ----
top_edge = 36; bottom_edge = have_kinds ? 372 : 424; right_edge = width - 30
y_title = "signal over noise, dB"
array ids[3] = ["sqnr_by_bits", "sqnr_trained", "sqnr_long_tailed"]
array names[3] = ["normal numbers", "trained weights", "long tails"]
array colours[3] = [blue, green, purple]
array points[3] = [measured_point, simulated_point, hollow_triangle]
do for [i = 1:(have_kinds ? 3 : 1)] { eval key(names[i], points[i], colours[i]) }
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
# The names of formats with about as many bits are a column, in the order of the marks to its left.
column_of(bits) = bits > 20 ? NaN : bits > 10 ? 16.15 : bits > 6 ? 8.5 : 4.5
plot limit using 1:2 smooth unique with lines linewidth 1.4 dashtype modelled_dash linecolor rgb quiet, \
     predicted using 1:2 with points pointtype modelled_point pointsize 1.15 linewidth 1.4 linecolor rgb ink, \
     dots using 1:2 with points pointtype measured_point pointsize 0.7 linecolor rgb blue, \
     dots using (column_of($1)):2:5 with labels font end textcolor rgb ink
unset label

# ---- Kinds of numbers ----
if (have_kinds) {
  file(i) = tables."/".ids[i].".tsv"
  left_edge = 116; top_edge = 484; bottom_edge = height - 62
  y_title = ""
  load "frame.gp"
  set xrange [16:48]
  set yrange [11.6:2.4]  # formats in the order of the record; the first three have more bits
  set xtics 20,10,40
  set ytics autofreq textcolor rgb ink
  set xlabel "signal over noise, dB" offset 0,0.9 textcolor rgb quiet
  plot file(3) every ::2 using (16):1:(32):(0):ytic(5) with vectors nohead linecolor rgb grid, \
       file(1) using (only($0 > 2.5, $2)):0 with points pointtype points[1] pointsize 0.8 linecolor rgb colours[1], \
       for [i = 2:3] file(i) every ::2 using 2:1 with points pointtype points[i] pointsize 0.8 linecolor rgb colours[i]
}
unset multiplot
