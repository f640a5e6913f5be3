# title: Predicted against published MFU, for every published run
# needs: runs_fit_a100_k22 runs_fit_h100_mh
# needs: runs_test_a100_bl runs_test_a100_lf runs_test_a100_m21 runs_test_a100_ms runs_test_a100_mt
# needs: runs_test_h100_dg runs_test_h100_l3 runs_test_h100_lf runs_test_h100_tt
# needs: runs_test_tpu_mx runs_test_tpu_pa runs_test_tpu_tr
# needs: planner_error_by_source
# shows: planner_error_by_source
height = 580
load "style.gp"
load tables."/values.gp"
fit_a100 = "k22"; fit_h100 = "mh"
# Added after the constants had been fixed, if a record has them.
added_name(group, source) = exists("have_runs_added_".group."_".source) ? source." " : ""
added_a100 = added_name("a100", "fm").added_name("a100", "il")
added_h100 = added_name("h100", "fm"); added_h200 = added_name("h200", "kf"); added_tpu = added_name("tpu", "tv")
have_added = strlen(added_a100.added_h100.added_h200.added_tpu) > 0
test_a100 = "bl lf m21 ms mt"; test_h100 = "dg l3 lf tt"; test_tpu = "mx pa tr"
added_point = 10
file(group, source) = tables."/runs_".group."_".source.".tsv"
# Whether the predicted seconds are off by a quarter; the ratio of seconds is the inverse of that of MFUs.
missed(published, predicted) = abs(published / predicted - 1) > 0.25

top_edge = 36; bottom_edge = height - 62; right_edge = width - 20
y_title = "modelled MFU, %"
load "frame.gp"
low = 20; high = 80
set xrange [low:high]
set yrange [low:high]
set xtics 20,10,80
set ytics 20,10,80
set xlabel "published MFU, %" offset 0,0.9 textcolor rgb quiet

# The key: kinds of chips by colour, the use of a run by marker.
array key_names[3] = ["A100", have_added ? "H100, H200" : "H100", "TPU"]
array key_colours[3] = [green, purple, grey]
do for [i = 1:3] {
  eval key(key_names[i], modelled_point, key_colours[i])
}
eval key("tested", modelled_point, ink)
eval key("fitted", 8, ink)
if (have_added) {
  eval key("added later", added_point, ink)
}

# Within the band, predicted seconds are off by at most a quarter.
steepness = (bottom_edge - top_edge) / (right_edge - left_edge + 0.0)
angle(slope) = atan(slope * steepness) / pi * 180
set object polygon from low,low / 0.75 to high * 0.75,high to high,high to high,high * 0.8 to low / 0.8,low to low,low to low,low / 0.75 \
  fillcolor rgb grey fillstyle transparent solid 0.1 noborder behind
set label "25% too fast" at 52,52 / 0.75 + 1.6 center rotate by angle(1 / 0.75) textcolor rgb quiet
set label "25% too slow" at 74.5,74.5 * 0.8 - 2.2 center rotate by angle(0.8) textcolor rgb quiet
set label "exact" at 75,75 + 1.4 center rotate by angle(1) textcolor rgb quiet

name(text) = text[1:strstrt(text, ":") - 1]

# The runs predicted as too fast are close together. Their names are above them in steps, the leftmost run's lowest, so that the
# lines to the points cross nothing.
fast(published, predicted) = missed(published, predicted) && published < predicted
array names[20]; array xs[20]; array ys[20]
count = 0; reach = 0
note(published, predicted, text) = count == 20 ? 0 : (count = count + 1, names[count] = name(text), xs[count] = published, \
                                   ys[count] = predicted, reach = larger(reach, predicted))
do for [one in test_h100] {
  stats file("test_h100", one) using (fast($1, $2) ? note($1, $2, strcol(5)) : 0) nooutput
}
do for [one in fit_h100] {
  stats file("fit_h100", one) using (fast($1, $2) ? note($1, $2, strcol(5)) : 0) nooutput
}
do for [i = 1:count] {
  stair = sum [k = 1:count] (xs[k] < xs[i] || (xs[k] == xs[i] && k < i))
  right = larger(low + 0.8 + 0.92 * strlen(names[i]), xs[i] + 1.2 + 2.2 * stair)
  at = reach + (have_added ? 9 : 5) + 4.5 * stair
  set label names[i] at right,at right textcolor rgb ink
  set arrow from right - 0.6,at - 1.6 to xs[i],ys[i] + 0.8 nohead linewidth 0.8 linecolor rgb quiet
}
plot x with lines linewidth 1 dashtype modelled_dash linecolor rgb quiet, \
     for [one in test_a100] file("test_a100", one) with points pointtype modelled_point pointsize 0.6 linecolor rgb green, \
     for [one in test_h100] file("test_h100", one) with points pointtype modelled_point pointsize 0.6 linecolor rgb purple, \
     for [one in test_tpu] file("test_tpu", one) with points pointtype modelled_point pointsize 0.6 linecolor rgb grey, \
     for [one in added_a100] file("added_a100", one) with points pointtype added_point pointsize 0.7 linecolor rgb green, \
     for [one in added_h100] file("added_h100", one) with points pointtype added_point pointsize 0.7 linecolor rgb purple, \
     for [one in added_h200] file("added_h200", one) with points pointtype added_point pointsize 0.7 linecolor rgb purple, \
     for [one in added_tpu] file("added_tpu", one) with points pointtype added_point pointsize 0.7 linecolor rgb grey, \
     for [one in fit_a100] file("fit_a100", one) with points pointtype 8 pointsize 0.7 linecolor rgb green, \
     for [one in fit_h100] file("fit_h100", one) with points pointtype 8 pointsize 0.7 linecolor rgb purple, \
     for [one in test_h100] file("test_h100", one) using (only(missed($1, $2) && !fast($1, $2), $1)):2:(name(strcol(5))) \
       with labels font near textcolor rgb ink, \
     for [one in fit_h100] file("fit_h100", one) using (only(missed($1, $2) && !fast($1, $2), $1)):2:(name(strcol(5))) \
       with labels font near textcolor rgb ink
