# title: Products of wide and narrow numbers on one core, and beside another library's
# needs: fp32_gemm bf16_gemm int8_gemm
# shows: fp32_gemm bf16_gemm int8_gemm onednn_bf16 onednn_int8 unit_peak_bf16 unit_peak_int8
# shows: bf16_over_onednn_by_size int8_over_onednn_by_size bf16_over_onednn_all_by_size int8_over_onednn_all_by_size
# Below the speeds a panel of ratios, where the record has them.
load tables."/values.gp"
has_ratios = exists("have_int8_over_onednn_by_size") && exists("have_bf16_over_onednn_by_size")
height = has_ratios ? 724 : 430
load "style.gp"
array ids[3] = ["fp32", "bf16", "int8"]
array colours[3] = [ink, green, purple]
array points[3] = [circle, diamond, triangle]
ours(i) = tables."/".ids[i]."_gemm.tsv"
# What a record lacks is drawn from ours, with every point undefined.
has_peer(i) = exists("have_onednn_".ids[i])
peer(i) = has_peer(i) ? tables."/onednn_".ids[i].".tsv" : ours(i)
has_peak(i) = exists("have_unit_peak_".ids[i])
peak(i) = has_peak(i) ? tables."/unit_peak_".ids[i].".tsv" : ours(i)
array threads[2] = ["", "_all"]
array dashes[2] = [measured_dash, long_dash]
ratio_id(i, k) = ids[i]."_over_onednn".threads[k]."_by_size"
has_ratio(i, k) = exists("have_".ratio_id(i, k))
ratio(i, k) = has_ratio(i, k) ? tables."/".ratio_id(i, k).".tsv" : ours(i)

highest = 0
do for [i = 1:3] {
  stats ours(i) using 2 name "speed" nooutput
  stats peak(i) using 2 name "peak" nooutput
  highest = larger(highest, larger(speed_max, peak_max))
}
stats ours(1) using 1 name "size" nooutput
lowest = 1; largest = 1  # of the ratios
do for [i = 2:3] {
  do for [k = 1:2] {
    if (has_ratio(i, k)) {
      stats ratio(i, k) using 2 name "ratio" nooutput
      lowest = smaller(lowest, ratio_min)
      largest = larger(largest, ratio_max)
    }
  }
}

right_edge = width - 92
set multiplot
top_edge = 36; bottom_edge = has_ratios ? 360 : height - 62
has_peaks = has_peak(2) || has_peak(3)
y_title = "speed, Gop/s".(has_ratios ? "; dashed: oneDNN's" : "").(has_peaks ? "; grey: the instruction alone" : "")
load "frame.gp"
set logscale x 2
eval x_range(size_min / 1.1, size_max * 1.001)  # the last point lies inside, rounding or not
eval y_range(0, highest * 1.1)
eval powers_on_x
if (!has_ratios) { set xlabel "N of a square product" offset 0,0.9 textcolor rgb quiet }
plot for [i = 1:3] peak(i) using (only(has_peak(i), $1)):2 with lines linewidth 1.4 linecolor rgb quiet, \
     for [i = 1:3] peer(i) using (only(has_peer(i), $1)):2 with lines linewidth 1.8 dashtype long_dash \
       linecolor rgb colours[i], \
     for [i = 1:3] ours(i) using 1:2 with linespoints pointtype points[i] pointsize 0.6 linewidth 1.8 \
       linecolor rgb colours[i], \
     for [i = 1:3] ours(i) using (only($1 == size_max, $1)):2:(ids[i]) with labels left font end textcolor rgb colours[i]
if (has_ratios) {
  unset label
  top_edge = 454; bottom_edge = height - 62
  y_title = "ours over oneDNN's; in dashes, on all threads"
  load "frame.gp"
  set xlabel "N of a square product" offset 0,0.9 textcolor rgb quiet
  eval powers_on_x
  eval y_range(lowest - 0.03, largest + 0.03)
  set ytics larger(0.05, step_of(largest - lowest))
  set arrow from size_min,1 to size_max,1 nohead linewidth 2.4 linecolor rgb quiet
  plot for [k = 1:2] for [i = 2:3] ratio(i, k) using (only(has_ratio(i, k), $1)):2 with linespoints \
         pointtype points[i] pointsize 0.6 linewidth 1.8 dashtype dashes[k] \
         linecolor rgb colours[i], \
       for [i = 2:3] ratio(i, 1) using (only(has_ratio(i, 1) && $1 == size_max, $1)):2:(ids[i]) \
         with labels left font end textcolor rgb colours[i]
}
unset multiplot
