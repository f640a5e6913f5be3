# title: Latency of a load against the working set
# needs: latency
# shows: latency latency_4k plateaus_latency
height = 470
load "style.gp"
load tables."/values.gp"
huge = tables."/latency.tsv"
have_small = exists("have_latency_4k")
small = have_small ? tables."/latency_4k.tsv" : huge
have_levels = exists("have_plateaus_latency")
levels = have_levels ? tables."/plateaus_latency.tsv" : huge

stats huge using 1:2 name "huge" nooutput
stats small using 2 name "small" nooutput
stats levels using 2 name "level" nooutput
smallest = huge_min_x
largest = huge_max_x
lowest = smaller(huge_min_y, small_min)
highest = larger(huge_max_y, small_max)
in_cycles = exists("value_clock_ghz")
strip = in_cycles ? 94 : 72; right_edge = width - 116; top_edge = 34; bottom_edge = height - 62
y_title = "latency, ns"
load "working-set.gp"
set xlabel "working set" offset 0,0.9 textcolor rgb quiet
cycles_y = below_top(57.0)
if (have_levels && in_cycles) {
  set label "ns" at graph -0.02,first value_y right textcolor rgb quiet
  set label "cycles" at graph -0.02,first cycles_y right textcolor rgb quiet
}

plot levels using (only(have_levels && $0 < level_records - 1, $1)):(y_min):(0):(y_max - y_min) \
       with vectors nohead linewidth 1 dashtype quoted_dash linecolor rgb quiet, \
     levels using (only(have_levels, middle($0, $1))):(name_y):5 with labels font over textcolor rgb quiet, \
     levels using (only(have_levels, middle($0, $1))):(value_y):(digits($2)) \
       with labels font over textcolor rgb ink, \
     levels using (only(have_levels && in_cycles, middle($0, $1))):(cycles_y): \
       (digits($2 * (in_cycles ? value_clock_ghz : 1))) with labels font over textcolor rgb ink, \
     small using (only(have_small, $1)):3:4 with filledcurves fillcolor rgb purple, \
     small using (only(have_small, $1)):2 with linespoints pointinterval 4 \
       pointtype triangle pointsize 0.6 linewidth 2 dashtype long_dash linecolor rgb purple, \
     huge using 1:3:4 with filledcurves fillcolor rgb memory, \
     huge using 1:2 with linespoints pointinterval 4 pointtype circle pointsize 0.6 linewidth 2 linecolor rgb memory, \
     small using (only(have_small && $1 == huge_max_x, $1)):2:("4 KiB pages") \
       with labels left font end textcolor rgb purple, \
     huge using (only($1 == huge_max_x, $1)):2:("huge pages") with labels left font end textcolor rgb memory
