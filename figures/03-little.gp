# title: One core's bandwidth against the number of chases
# needs: chases_bandwidth little_line
# shows: chases_bandwidth chases_bandwidth_2 little_line simt_chases
# One thread compared with the law; the table has the values for two threads.
load tables."/values.gp"
height = 500
load "style.gp"
measured = tables."/chases_bandwidth.tsv"
line = tables."/little_line.tsv"
have_model = exists("have_simt_chases")
model = have_model ? tables."/simt_chases.tsv" : measured
capped(y) = y > y_max ? y_max : y

stats measured using 1:2 name "one" nooutput
stats line using 2 name "line" nooutput
y_max = 1.1 * larger(one_max_y, line_max)

right_edge = width - 108
set multiplot
top_edge = 36; bottom_edge = 438
y_title = "bandwidth, GB/s"
load "frame.gp"
x_max = one_max_x * 1.001  # the last point is inside in spite of rounding
eval x_range(0, x_max)
at_end = x_max > 1.01 * one_max_x ? near : end  # beside another machine, the curves may end before the axis
eval y_range(0, y_max)
set xtics 8
set xlabel "chases at a time" offset 0,0.9 textcolor rgb quiet
knee = value_little_knee_predicted
set arrow from knee,0 to knee,y_max nohead linewidth 1 dashtype modelled_dash linecolor rgb green
set label "bend predicted: ".digits(knee) at knee,y_max * 0.12 font near textcolor rgb green
if (exists("value_little_knee_measured")) {
  knee = value_little_knee_measured
  set arrow from knee,0 to knee,y_max nohead linewidth 1 dashtype measured_dash linecolor rgb ink
  set label "measured: ".digits(knee) at knee,y_max * 0.05 font near textcolor rgb ink
}

plot measured using 1:3:(capped($4)) with filledcurves fillcolor rgb ink, \
     line using 1:2 with lines linewidth 2 dashtype modelled_dash linecolor rgb green, \
     model using (only(have_model, $1)):2 with linespoints pointtype simulated_point pointsize 0.7 linewidth 1.6 \
       dashtype simulated_dash linecolor rgb purple, \
     measured using 1:2 with linespoints pointtype circle pointsize 0.6 linewidth 2 linecolor rgb ink, \
     line using (only($1 == one_max_x, $1)):2:("Little’s law") with labels left font at_end textcolor rgb green, \
     model using (only(have_model && $1 == one_max_x, $1)):2:("simulated") with labels left font at_end textcolor rgb purple, \
     measured using (only($1 == one_max_x, $1)):2:("measured") with labels left font at_end textcolor rgb ink
unset multiplot
