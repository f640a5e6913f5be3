# title: Bandwidth of DRAM against the bytes read since a pause
# needs: bandwidth_over_time
# shows: bandwidth_over_time
height = 430
load "style.gp"
load tables."/values.gp"
read = tables."/bandwidth_over_time.tsv"
rationed = exists("value_bandwidth_burst_bytes")

stats read using 1:2 name "read" nooutput
stats read using 4 name "high" nooutput
stats read using (only($1 == read_max_x, $2)) name "last" nooutput
top_edge = 36; bottom_edge = height - 62; right_edge = width - 24
y_title = "bandwidth, GB/s"
load "frame.gp"
set logscale x 2
eval x_range(read_min_x, read_max_x)
set xtics (capacity(2.0**20) 2.0**20)
set for [k = 22:44:2] xtics add (capacity(2.0**k) 2.0**k)
y_max = 1.12 * smaller(high_max, 1.3 * read_max_y)
capped(y) = smaller(y, y_max)
eval y_range(0, y_max)
set xlabel "bytes read since a pause" offset 0,0.9 textcolor rgb quiet

# The point where the host begins to limit the bandwidth: the burst before, the sustained speed after.
if (rationed) {
  set arrow from value_bandwidth_burst_bytes,0 to value_bandwidth_burst_bytes,y_max nohead linewidth 1 \
    dashtype quoted_dash linecolor rgb quiet
  before = sqrt(read_min_x * value_bandwidth_burst_bytes)
  after = sqrt(read_max_x * value_bandwidth_burst_bytes)
  set label "burst, ".digits(value_bandwidth_first_gbs)." GB/s" at before,0.12 * y_max center textcolor rgb ink
  set label "sustained, ".digits(value_bandwidth_steady_gbs)." GB/s" at after,0.12 * y_max center textcolor rgb ink
}

plot read using 1:(capped($3)):(capped($4)) with filledcurves fillcolor rgb memory, \
     read using 1:2 with linespoints pointinterval 4 pointtype circle pointsize 0.6 linewidth 2 linecolor rgb memory, \
     read using (only(!rationed && $1 == read_max_x, $1)):(capped(larger($2, $4)) + 0.04 * y_max):(digits(last_max)." GB/s") \
       with labels right font near textcolor rgb memory
