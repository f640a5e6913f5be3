# title: What slows the three plain loops down: a factor for each cause
# needs: causes
# shows: causes
# A row for each cause, in the order of their removal: a bar from the speed with the cause to the speed without it. On a
# logarithmic axis factors are lengths, and lengths add. Colliding rows, which the record lists first, slow no ordinary N.
height = 326
load "style.gp"
load tables."/values.gp"
causes = tables."/causes.tsv"
# Their names in the record, and in the figure.
array ids[5] = ["stride", "serial sum", "no SIMD", "no tile", "no blocks"]
array names[5] = ["down a column", "one sum at a time", "no vectors", "no tile in registers", "no blocks"]
array colours[5] = [memory, compute, compute, memory, memory]
is(i, id) = id eq ids[i]
# The products of the causes up to each.
array ends[6]
ends[1] = 1
lowest = 1; highest = 1
do for [i = 1:5] {
  stats causes using (only(is(i, strcol(5)), $2)) name "factor" nooutput
  ends[i + 1] = ends[i] * factor_max
  lowest = smaller(lowest, ends[i + 1]); highest = larger(highest, ends[i + 1])
}

left_edge = 206; right_edge = width - 66; top_edge = 36; bottom_edge = height - 62
y_title = sprintf("N = %.0f, one thread", value_anatomy_n)
load "frame.gp"
set logscale x
eval x_range(10**floor(log10(lowest)), larger(10, 10**ceil(log10(highest))))
set yrange [6.6:0.4]
eval decades_on("x", "1")
set grid noytics
unset ytics
set xlabel "times as fast as the definition" offset 0,0.9 textcolor rgb quiet
do for [i = 1:5] { set label names[i] at graph 0,first i right offset -0.8,0 textcolor rgb ink }
set label "all together" at graph 0,first 6 right offset -0.8,0 textcolor rgb ink
set label digits(ends[6])."×" at highest,6 left offset 0.6,0 textcolor rgb ink
set arrow from 1,graph 0 to 1,graph 1 nohead linewidth 1.4 linecolor rgb quiet
set style fill solid 0.75 noborder
plot for [i = 1:5] causes using (only(is(i, strcol(5)), ends[i])):(i):(smaller(ends[i], ends[i + 1])): \
       (larger(ends[i], ends[i + 1])):(i - 0.3):(i + 0.3) with boxxyerror fillcolor rgb colours[i], \
     causes using (only($0 == 0, 1)):(6):(smaller(1, ends[6])):(larger(1, ends[6])):(5.7):(6.3) \
       with boxxyerror fillcolor rgb ink, \
     for [i = 1:5] causes using (only(is(i, strcol(5)), larger(ends[i], ends[i + 1]))):(i):(digits($2)."×") \
       with labels left offset 0.6,0 textcolor rgb ink
