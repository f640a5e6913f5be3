# title: Where the FLOPs of five passes go, and where their time goes
# needs: time_share_gemm flop_share_gemm pass_peak_share pass_speed
# shows: flop_share_gemm flop_share_attention flop_share_reduction flop_share_elementwise flop_share_copying
# shows: pass_peak_share time_share_gemm time_share_attention time_share_reduction time_share_elementwise time_share_copying
# For each pass a thin stacked bar of its FLOPs, a thick one of its time, and below them a thick dark bar: the part of the time
# in which the FLOPs would have been done at the peak.
block = 128; top = 20
height = top + 5 * block - 8
load "style.gp"

array classes[5] = ["gemm", "attention", "reduction", "elementwise", "copying"]
array names[5] = ["GEMM", "attention", "reductions", "elementwise", "copying"]
array colours[5] = [compute, grey, purple, green, memory]
passes = tables."/pass_speed.tsv"
stats passes using 1 name "pass" nooutput
count = int(pass_records)
array labels[count]; array busy[count]
stats passes using (labels[$0 + 1] = strcol(5), $2) nooutput
stats tables."/pass_peak_share.tsv" using (busy[$0 + 1] = $2) nooutput

# Shares of FLOPs, then of time: share[(kind - 1) * 25 + (pass - 1) * 5 + class].
array share[50]
do for [class = 1:5] {
  stats tables."/flop_share_".classes[class].".tsv" using (share[$0 * 5 + class] = $2) nooutput
  stats tables."/time_share_".classes[class].".tsv" using (share[25 + $0 * 5 + class] = $2) nooutput
}
given(kind, pass, class) = share[(kind - 1) * 25 + (pass - 1) * 5 + class]
whole(kind, pass) = sum [c = 1:5] given(kind, pass, c)  # medians of shares may not add up to 100
of(kind, pass, class) = given(kind, pass, class) * 100 / whole(kind, pass)
before(kind, pass, class) = class == 1 ? 0 : sum [c = 1:class - 1] of(kind, pass, c)

left_edge = 66; right_edge = width - 10
set lmargin at screen left_edge / (width + 0.0)
set rmargin at screen right_edge / (width + 0.0)
set tmargin at screen 1
set bmargin at screen 0
set xrange [0:100]
set yrange [height:0]  # in the figure's own units, downwards
unset xtics
unset ytics
unset grid

# The key: a square and a name for each class.
do for [class = 1:5] { eval key(names[class], square, colours[class]) }

# A name is written on a bar if it fits; letters are 9 units wide.
fits(text, share) = 9.2 * strlen(text) + 12 < share * (right_edge - left_edge) / 100.0
array tops[2] = [17, 31]
array bars[2] = [10, 26]
do for [pass = 1:count] {
  y = top + (pass - 1) * block
  set label labels[pass] at 0,y textcolor rgb ink
  do for [kind = 1:2] {
    bar_top = y + tops[kind]
    bar = bars[kind]
    set label (kind == 1 ? "FLOPs" : "time") at -1.5,bar_top + bar / 2.0 + (kind == 1 ? -1 : 2) right textcolor rgb quiet
    do for [class = 1:5] {
      part = of(kind, pass, class)
      from = before(kind, pass, class)
      to = from + part
      if (part > 0) {
        set object rectangle from from,bar_top to to,bar_top + bar fillcolor rgb colours[class] fillstyle solid 1 noborder
      }
      long = sprintf("%s %s%%", names[class], digits(given(kind, pass, class)))
      short = sprintf("%s%%", digits(given(kind, pass, class)))
      if (kind == 2 && fits(short, part)) {
        set label (fits(long, part) ? long : short) at (from + to) / 2,bar_top + bar / 2.0 center textcolor rgb paper
      }
    }
  }
  dark = y + tops[2] + bars[2] + 5
  told = sprintf("%s%% of the peak", digits(busy[pass]))
  set label "busy" at -1.5,dark + 13 right textcolor rgb ink
  set object rectangle from 0,dark to busy[pass],dark + 26 fillcolor rgb ink fillstyle solid 1 noborder
  if (fits(told, busy[pass])) {
    set label told at busy[pass] / 2,dark + 13 center textcolor rgb paper
  } else {
    set label told at busy[pass] + 1.5,dark + 13 left textcolor rgb ink
  }
}
plot NaN
