# title: The operations of five networks under this machine's roofline, one thread
# needs: speeds_perceptron speeds_resnet speeds_gpt2 speeds_grouped_queries speeds_mixture
# needs: shares_perceptron shares_resnet shares_gpt2 shares_grouped_queries shares_mixture bandwidth_read
# shows: speeds_perceptron speeds_resnet speeds_gpt2 speeds_grouped_queries speeds_mixture
# shows: bandwidth_read bandwidth_read_all
# A mark's area is the operation's share of its network's time. The roof is that of memory beyond the caches. The lowest dots leave
# room for the names of the sides.
height = 520
load "style.gp"
load tables."/values.gp"
networks = "perceptron resnet gpt2 grouped_queries mixture"
array names[5] = ["perceptron", "ResNet", "GPT-2, a token", "grouped queries", "mixture of experts"]
array colours[5] = [ink, green, purple, grey, ink]
array points[5] = [circle, circle, circle, circle, diamond]
file(kind, i) = tables."/".kind."_".word(networks, i).".tsv"

# The shares of all operations, one network after the other.
array first[6]
first[1] = 0
low_x = 1e9; high_x = 0; low_y = 1e9
do for [i = 1:5] {
  stats file("speeds", i) using 1:2 name "dots" nooutput
  first[i + 1] = first[i] + dots_records
  low_x = smaller(low_x, dots_min_x); high_x = larger(high_x, dots_max_x); low_y = smaller(low_y, dots_min_y)
}
array share[int(first[6])]
do for [i = 1:5] { stats file("shares", i) using (share[int(first[i] + $0 + 1)] = $2) nooutput }
size_of(share) = 0.25 + 3.2 * sqrt(share)
size(i) = size_of(share[int(first[i] + $0 + 1)])
# The operations of the reader's own model, after `make model`: stars, of the last run alone.
have_yours = exists("yours")
your_dots = have_yours ? yours : file("speeds", 1)
stats your_dots using 1:2 name "stars" nooutput

stats tables."/bandwidth_read.tsv" using (roof = $2) nooutput  # the last working set is beyond the caches
peak = value_peak_fp32_gflops
ridge = peak / roof
x_min = smaller(smaller(low_x, stars_min_x) / 2, ridge / 30)
x_max = larger(larger(high_x, stars_max_x) * 3, ridge * 12)
y_min = smaller(low_y, stars_min_y) / 8
y_max = peak * 2.2
right_edge = width - 12
y_title = "speed, GFLOP/s"
load "roofline-axes.gp"

x_low = larger(x_min, y_min / roof)
do for [i = 1:5] { eval key(names[i], points[i], colours[i]) }
if (have_yours) { eval key("yours", yours_point, ink) }
set arrow from x_low,x_low * roof to ridge,peak nohead linewidth 3.2 linecolor rgb memory
set arrow from ridge,peak to x_max,peak nohead linewidth 3.2 linecolor rgb compute
middle = sqrt(x_low * ridge)
set label sprintf("memory: %s GB/s", digits(roof)) at middle,middle * roof center rotate by rise font along textcolor rgb memory
set label sprintf("arithmetic: %s GFLOP/s", digits(peak)) at x_max * 0.98,peak right font along textcolor rgb compute

plot for [i = 1:5] file("speeds", i) using 1:2:(size(i)) with points pointtype points[i] pointsize variable linecolor rgb colours[i], \
     your_dots using 1:(only(have_yours && $5 == 0, $2)):(size_of($6)) \
       with points pointtype yours_point pointsize variable linecolor rgb ink
