# title: The numbers that formats of 4 and 8 bits have, between zero and their largest
# needs: values_int4 values_e2m1 values_int8 values_e4m3 values_e5m2 values_density
# shows: values_int4 values_e2m1 values_int8 values_e4m3 values_e5m2
# Above on a linear axis, where integers are evenly spaced; below on a logarithmic one, where floats are.
height = 656
load "style.gp"
array ids[5] = ["int4", "e2m1", "int8", "e4m3", "e5m2"]
array names[5] = ["integers", "E2M1", "integers", "E4M3", "E5M2"]
array colours[5] = [green, ink, green, grey, purple]
array thick[5] = [2, 2, 0.8, 0.8, 0.8]
file(i) = tables."/values_".ids[i].".tsv"
left_edge = 92; right_edge = width - 34
beside(text, y, colour) = sprintf('set label "%s" at screen %f,first %f textcolor rgb "%s"', text, 8.0 / width, y, colour)
unset ytics
unset grid

set multiplot
# ---- Linear ----
array at[5] = [5.0, 4.1, 2.0, 1.1, 0]
top_edge = 36; bottom_edge = 346
y_title = "magnitudes"
load "frame.gp"
set xrange [-0.004:1.004]
set yrange [0.8:8.0]
set xtics ("0" 0, "¼" 0.25, "½" 0.5, "¾" 0.75, "largest" 1)
eval beside("4 bits", 6.05, quiet)
eval beside("8 bits", 3.05, quiet)
do for [i = 1:4] { eval beside(names[i], at[i] + 0.3, colours[i]) }
set label "where normally distributed weights lie" at 1,7.7 right textcolor rgb quiet
plot tables."/values_density.tsv" using 1:(6.2):(6.2 + 1.1 * $2) with filledcurves fillcolor rgb grey, \
     tables."/values_density.tsv" using 1:(6.2 + 1.1 * $2) with lines linewidth 1.4 dashtype modelled_dash linecolor rgb quiet, \
     for [i = 1:4] file(i) using 2:(at[i]):(0):(0.62) with vectors nohead linewidth thick[i] linecolor rgb colours[i]
unset label

# ---- Logarithmic ----
array at[5] = [4.6, 3.6, 2, 1, 0]
top_edge = 420; bottom_edge = height - 40
y_title = "the same, by powers of two"
load "frame.gp"
set xrange [-32.5:0.25]
set yrange [-0.1:5.8]
set xtics ("2⁻³²" -32, "2⁻²⁴" -24, "2⁻¹⁶" -16, "2⁻⁸" -8, "largest" 0)
two(x) = x > 0 ? log(x) / log(2) : NaN
do for [i = 1:5] { eval beside(names[i], at[i] + 0.3, colours[i]) }
plot for [i = 1:5] file(i) using (two($2)):(at[i]):(0):(0.62) with vectors nohead linewidth thick[i] linecolor rgb colours[i]
unset multiplot
