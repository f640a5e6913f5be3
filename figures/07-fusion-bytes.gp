# title: The time of relu · 0.5 + 1 over the bytes that cross, on all cores and on one
# needs: fusion_elementwise_time fusion_elementwise_by_hand fusion_elementwise_copying
# needs: fusion_elementwise_time_one fusion_elementwise_by_hand_one fusion_elementwise_copying_one
# shows: fusion_elementwise_time fusion_elementwise_by_hand fusion_elementwise_copying
# shows: fusion_elementwise_time_one fusion_elementwise_by_hand_one fusion_elementwise_copying_one
height = 820
load "style.gp"
file(name) = tables."/fusion_elementwise_".name.".tsv"
stats file("time") using 1:2 name "all" nooutput
stats file("time_one") using 2 name "one" nooutput
stats file("by_hand") using 2 name "hand" nooutput
stats file("by_hand_one") using 2 name "hand_one" nooutput

set multiplot
right_edge = width - 30
x_high = all_max_x * 1.08e-9
do for [panel = 1:2] {
  cores = panel == 1 ? "" : "_one"
  top_edge = panel == 1 ? 36 : 452
  bottom_edge = panel == 1 ? 346 : height - 62
  highest = panel == 1 ? larger(all_max_y, hand_max) : larger(one_max, hand_one_max)
  stats file("copying".cores) using ($2 / $1) name "slope" nooutput
  unset label
  y_title = "time, ms"
  load "frame.gp"
  set label panel == 1 ? "all cores" : "one core" at graph 1,screen title_height right textcolor rgb ink
  set xrange [0:x_high]
  set yrange [0:larger(highest, slope_mean * x_high * 1e9) * 1.08]
  if (panel == 2) { set xlabel "GB that cross memory, those of write-allocate among them" offset 0,0.9 textcolor rgb quiet }
  plot [x = 0:x_high] "+" using 1:(slope_mean * $1 * 1e9) with lines linewidth 1.6 dashtype modelled_dash linecolor rgb quiet, \
       file("by_hand".cores) using ($1 * 1e-9):2 with points pointtype triangle pointsize 0.9 linecolor rgb orange, \
       file("time".cores) using ($1 * 1e-9):2 with points pointtype circle pointsize 0.8 linecolor rgb blue, \
       file("copying".cores) using (only($0 == 2, $1 * 0.72e-9)):($2 * 0.72):("as copying moves them") \
         with labels right font along textcolor rgb quiet, \
       file("time".cores) using (only(strcol(5) eq "by operators", $1 * 1e-9)):2:("operator by operator") \
         with labels right font near textcolor rgb blue, \
       file("time".cores) using (only(strcol(5) eq "compiled, ordinary stores", $1 * 1e-9)):2:("compiled: one loop") \
         with labels left font near textcolor rgb blue, \
       file("time".cores) using (only(strcol(5) eq "compiled, non-temporal stores", $1 * 1e-9)):2:("past the caches") \
         with labels left font near textcolor rgb blue, \
       file("by_hand".cores) using (only(strcol(5) eq "three passes", $1 * 1e-9)):2:("by hand") \
         with labels right font near textcolor rgb orange, \
       file("by_hand".cores) using (only(strcol(5) eq "one pass, in place", $1 * 1e-9)):2:("by hand, in place") \
         with labels left font near textcolor rgb orange
}
unset multiplot
