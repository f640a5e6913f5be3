# title: How long two orders of the same loops take
# needs: rungs
# shows: rungs
# The first two rungs of chapter 02's ladder: the times of the whole product, from their shares of the peak.
height = 150
load "style.gp"
load tables."/values.gp"
rungs = tables."/rungs.tsv"
milliseconds(share) = 2 * value_anatomy_n**3 / (share / 100 * value_peak_fp32_gflops * 1e6)
array names[2] = ["first program: i, j, p", "second program: i, p, j"]
array colours[2] = [purple, green]
array times[2]
stats rungs every ::0::1 using (times[$0 + 1] = milliseconds($2)) nooutput
longest = larger(times[1], times[2])

set lmargin at screen 2.0 / width
set rmargin at screen (width - 96.0) / width
set tmargin at screen 1
set bmargin at screen 0
set xrange [0:longest]
set yrange [height:0]  # in the figure's own units, downwards
unset xtics
unset ytics
unset grid
do for [program = 1:2] {
  top = 8 + (program - 1) * 72
  set label names[program] at 0,top + 10 left textcolor rgb ink
  set object rectangle from 0,top + 24 to times[program],top + 54 fillcolor rgb colours[program] fillstyle solid 1 noborder
  set label digits(times[program])." ms" at times[program] + longest * 0.015,top + 39 left textcolor rgb ink
}
plot NaN
