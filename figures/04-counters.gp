# title: What the first TPU's cycles went to: published, and by two models
# needs: tpuv1_active_published tpuv1_active_modelled tpuv1_active_simulated
# needs: tpuv1_stall_published tpuv1_stall_modelled tpuv1_stall_simulated
# needs: tpuv1_shift_published tpuv1_shift_modelled tpuv1_shift_simulated
# shows: tpuv1_active_published tpuv1_active_simulated tpuv1_stall_published tpuv1_stall_simulated
# shows: tpuv1_shift_published tpuv1_shift_simulated
height = 780
load "style.gp"
array counters[3] = ["active", "stall", "shift"]
array titles[3] = ["array active, % of cycles", "waiting for weights, %", "shifting weights in, %"]
array tops[3] = [100, 80, 25]
array steps[3] = [25, 20, 5]
file(counter, kind) = tables."/tpuv1_".counters[counter]."_".kind.".tsv"

# The key, on one line.
key_y = 1 - 14.0 / height
right_edge = width - 14
set xrange [-0.5:5.5]
set multiplot
do for [counter = 1:3] {
  top_edge = 72 + (counter - 1) * 236
  bottom_edge = top_edge + 168
  y_title = titles[counter]
  unset label
  load "frame.gp"
  if (counter == 1) {
    set label "published" at screen 0.15,key_y offset 0.4,-0.35 textcolor rgb ink \
      point pointtype quoted_point pointsize 0.9 linecolor rgb grey
    set label "one line" at screen 0.42,key_y offset 0.4,-0.35 textcolor rgb ink \
      point pointtype modelled_point pointsize 0.8 linecolor rgb orange
    set label "simulated" at screen 0.66,key_y offset 0.4,-0.35 textcolor rgb ink \
      point pointtype simulated_point pointsize 0.8 linecolor rgb blue
  }
  set yrange [-tops[counter] * 0.06:tops[counter]]
  set ytics 0,steps[counter],tops[counter]
  set grid noxtics
  plot file(counter, "published") using ($1 - 0.16):2:xtic(5) with points pointtype quoted_point pointsize 0.9 \
         linecolor rgb grey, \
       file(counter, "modelled") using 1:2 with points pointtype modelled_point pointsize 0.8 linecolor rgb orange, \
       file(counter, "simulated") using ($1 + 0.16):2 with points pointtype simulated_point pointsize 0.8 \
         linecolor rgb blue
}
unset multiplot
