# What figures of an all-reduce share: above, time against size with the ring's model; below, the model over what was
# measured. A script sets prefix, of the series' names, then loads this.
took(name) = tables."/".prefix."allreduce_us_".name.".tsv"
model = tables."/".prefix."model_us_ring.tsv"
fitted = tables."/".prefix."model_error_fitted.tsv"
predicted = tables."/".prefix."model_error_predicted.tsv"
array ids[4] = ["mpi", "ring", "through_window", "in_window"]
array names[4] = ["MPI", "ring", "through window", "in window"]
array colours[4] = [ink, blue, green, orange]
array points[4] = [circle, triangle, square, diamond]
ways = exists("have_".prefix."allreduce_us_in_window") ? 4 : 2
stats took(ids[ways]) using 2 name "low" nooutput
stats took(ids[ways - 1]) using 2 name "also" nooutput
stats took("mpi") using 1:2 name "high" nooutput
stats model using 2 name "guess" nooutput
over(error) = 1 + error / 100
in_frame(error) = over(error) > 0.16  # whether the lower panel shows it
stats fitted using (in_frame($2) ? $0 : 1e9) name "shown" nooutput
below(error) = in_frame(error) ? NaN : 0.15  # where it does not: a mark that points down, at its edge
stats predicted using (in_frame($2) && $0 >= 4 ? $0 : 1e9) name "named" nooutput
stats fitted using (in_frame($2) ? 0 : 1) name "hidden" nooutput

right_edge = width - 150
x_low = high_min_x / 1.5; x_high = high_max_x * 1.001  # the last point lies inside, rounding or not
set logscale xy
set xrange [x_low:x_high]
set xtics ("4 B" 4, "256 B" 256, "16 KiB" 2**14, "1 MiB" 2**20, "64 MiB" 2**26)
holds = exists("value_".prefix."alpha_beta_from_kib")  # where the model does
from = holds ? value("value_".prefix."alpha_beta_from_kib") * 1024 : x_low
to = holds ? value("value_".prefix."alpha_beta_to_kib") * 1024 : x_low

set multiplot
top_edge = 36; bottom_edge = 440
y_title = "time, µs"
load "frame.gp"
y_low = smaller(low_min, also_min) / 1.5; y_high = larger(high_max_y, guess_max) * 4
set yrange [y_low:y_high]
eval decades_on("y", "1")
begins = x_high  # from where the model is in the plot: it may begin below it
stats model using ($2 > y_low * 1.2 && $1 < begins ? (begins = $1) : 0) nooutput
lift = guess_min > y_low ? 2 : 1  # where it is level, its name stands above it
if (holds) set object rectangle from from,y_low to to,y_high fillcolor rgb grey fillstyle solid 0.1 noborder behind
plot model using 1:2 with lines linewidth 2 dashtype modelled_dash linecolor rgb blue, \
     for [i = 1:ways] took(ids[i]) using 1:3:4 with filledcurves fillcolor rgb colours[i], \
     for [i = 1:ways] took(ids[i]) using 1:2 with linespoints pointtype points[i] pointsize 0.6 linewidth 1.8 \
       linecolor rgb colours[i], \
     for [i = 1:ways] took(ids[i]) using (only($1 == high_max_x, $1)):2:(names[i]) \
       with labels left font end textcolor rgb colours[i], \
     model using (only($1 == begins, $1)):($2 * lift):("ring, modelled") with labels left font near textcolor rgb blue

top_edge = 524; bottom_edge = height - 62
y_title = "the model over the measured ring"
unset label
unset object
load "frame.gp"
set xlabel "bytes of each rank" offset 0,0.9 textcolor rgb quiet
set yrange [0.125:10]
set ytics ("1/8" 0.125, "1/4" 0.25, "1/2" 0.5, "1" 1, "2" 2, "4" 4, "8" 8)
if (holds) set object rectangle from from,0.125 to to,10 fillcolor rgb grey fillstyle solid 0.1 noborder behind
if (hidden_max > 0) set label "less than 1/8" at graph 0.02,0.2 left font near textcolor rgb quiet
plot 1 with lines linewidth 1.4 linecolor rgb quiet, \
     fitted using 1:(in_frame($2) ? over($2) : NaN) with points pointtype 6 pointsize 0.9 linewidth 1.6 linecolor rgb blue, \
     predicted using 1:(in_frame($2) ? over($2) : NaN) with points pointtype triangle pointsize 0.9 linecolor rgb orange, \
     fitted using 1:(below($2)) with points pointtype 10 pointsize 0.8 linewidth 1.4 linecolor rgb blue, \
     predicted using 1:(below($2)) with points pointtype 11 pointsize 0.8 linecolor rgb orange, \
     fitted using (only($0 == shown_min, $1)):(over($2)):("fitted") with labels left font near textcolor rgb blue, \
     predicted using (only($0 == named_min, $1)):(over($2)):("predicted") with labels left font near textcolor rgb orange
unset multiplot
