# title: What the first TPU's cycles went to: published, and by two models
# needs: tpuv1_active_published tpuv1_active_modelled tpuv1_active_simulated
# needs: tpuv1_stall_published tpuv1_stall_modelled tpuv1_stall_simulated
# needs: tpuv1_shift_published tpuv1_shift_modelled tpuv1_shift_simulated
# shows: tpuv1_active_published tpuv1_active_simulated tpuv1_stall_published tpuv1_stall_simulated
# shows: tpuv1_shift_published tpuv1_shift_simulated
# A row for each application, three columns of cycles. An application is flagged if the models miss one of its numbers: by more
# than ten points, or with less than half of the working cycles predicted.
height = 480
load "style.gp"
array counters[3] = ["active", "stall", "shift"]
array titles[3] = ["working", "waiting", "shifting in"]
array tops[3] = [100, 80, 30]
array steps[3] = [50, 25, 10]
file(counter, kind) = tables."/tpuv1_".counters[counter]."_".kind.".tsv"
stats file(1, "published") using 1:2 name "apps" nooutput
count = int(apps_records)
array names[count]
array missed[count]
far_off(counter, published, simulated) = abs(simulated - published) > 10 || (counter == 1 && simulated < published / 2)
stats file(1, "published") using (names[$0 + 1] = strcol(5), missed[$0 + 1] = 0, $1) nooutput
do for [counter = 1:3] {
  array published[count]
  stats file(counter, "published") using (published[$0 + 1] = $2, $1) nooutput
  stats file(counter, "simulated") using (far_off(counter, published[$0 + 1], $2) ? (missed[$0 + 1] = 1) : 0, $1) nooutput
}

# The key, on one line.
set multiplot
eval y_range(count - 0.5, -0.5)
unset ytics
do for [counter = 1:3] {
  left_edge = 84 + (counter - 1) * 164
  right_edge = left_edge + 124
  top_edge = 36; bottom_edge = height - 62
  y_title = ""
  unset label
  unset arrow
  load "frame.gp"
  if (counter == 1) {
    eval key("quoted", quoted_point, grey)
    eval key("modelled", modelled_point, purple)
    eval key("simulated", simulated_point, green)
    do for [app = 1:count] {
      set label names[app] at graph -0.08,first app - 1 right textcolor rgb ink
      if (missed[app]) { set label "missed" at graph -0.08,first app - 0.58 right textcolor rgb quiet }
    }
  }
  set label titles[counter] at graph 0,screen title_height textcolor rgb quiet
  eval x_range(0, tops[counter])
  set xtics 0,steps[counter],tops[counter]
  if (counter == 2) { set xlabel "% of the array’s cycles" offset 0,0.9 textcolor rgb quiet } else { unset xlabel }
  set for [app = 1:count] arrow from graph 0,first app - 1 to graph 1,first app - 1 nohead linewidth 0.8 linecolor rgb grid
  plot file(counter, "published") using 2:($1 - 0.28) with points pointtype quoted_point pointsize 0.8 \
         linecolor rgb grey, \
       file(counter, "modelled") using 2:1 with points pointtype modelled_point pointsize 0.7 linecolor rgb purple, \
       file(counter, "simulated") using 2:($1 + 0.28) with points pointtype simulated_point pointsize 0.7 \
         linecolor rgb green
}
unset multiplot
