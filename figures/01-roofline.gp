# title: The roofline of this machine, one thread
# needs: peaks_fp32 plateaus_bandwidth kernels
# shows: plateaus_bandwidth peaks_fp32 roofs_fp32 kernels kernels_predicted
height = 560
load "style.gp"
load tables."/values.gp"
peaks = tables.(exists("have_roofs_fp32") ? "/roofs_fp32.tsv" : "/peaks_fp32.tsv")  # those that lie on each other are one
levels = tables."/plateaus_bandwidth.tsv"
kernels = tables."/kernels.tsv"
have_predictions = exists("have_kernels_predicted")
predictions = have_predictions ? tables."/kernels_predicted.tsv" : kernels

stats peaks using 2 name "peak" nooutput
stats levels using (dram = $2) name "bandwidth" nooutput  # DRAM is the last level
stats kernels using 1:2 name "kernel" nooutput
peak = peak_max
ridge = value_ridge_flop_per_byte

# Of the flat roofs, the highest and the scalar one, which is the first; those between crowd it, and are in its table.
shown(row, speed) = row == 0 || speed == peak

# Room for every dot and for the names of the roofs, on both sides of the ridge.
x_min = smaller(kernel_min_x / 2.2, ridge / 30)
x_max = larger(kernel_max_x * 3, ridge * 12)
y_min = smaller(kernel_min_y, peak_min) / 2.2
y_max = peak * 1.9
right_edge = width - 12
y_title = "speed, GFLOP/s"
load "roofline-axes.gp"

# A roof is drawn where it is the lower one: of memory up to the highest peak, of arithmetic from the fastest memory on.
enters(bandwidth) = larger(x_min, y_min / bandwidth)
leaves(bandwidth) = peak / bandwidth
starts(speed) = larger(x_min, speed / bandwidth_max)

# Each kernel's prediction, found by its name, is joined to what was measured.
stats predictions using 2 name "prediction" nooutput
array names[prediction_records]
array forecasts[prediction_records]
stats predictions using (names[$0 + 1] = strcol(5), forecasts[$0 + 1] = $2) nooutput
forecast(name) = sum [i = 1:prediction_records] (names[i] eq name ? forecasts[i] : 0)
gap(name, speed) = forecast(name) > 0 ? forecast(name) - speed : 0

set label "measured" at screen 1 - 210.0 / width,screen title_height offset 0.2,-0.3 textcolor rgb ink \
  point pointtype measured_point pointsize 0.75 linecolor rgb ink
if (have_predictions) {
  set label "predicted" at screen 1 - 100.0 / width,screen title_height offset 0.2,-0.3 textcolor rgb ink \
    point pointtype modelled_point pointsize 0.75 linecolor rgb ink
}

plot levels using (enters($2)):(enters($2) * $2):(leaves($2) - enters($2)):(peak - enters($2) * $2) \
       with vectors nohead linewidth 1.2 linecolor rgb blue, \
     levels using (enters($2)):(only($2 == dram, enters($2) * $2)):(leaves($2) - enters($2)):(peak - enters($2) * $2) \
       with vectors nohead linewidth 2.6 linecolor rgb blue, \
     peaks using (starts($2)):(only(shown($0, $2), $2)):(x_max - starts($2)):(0) with vectors nohead linewidth 1.2 linecolor rgb orange, \
     peaks using (starts($2)):(only($2 == peak, $2)):(x_max - starts($2)):(0) \
       with vectors nohead linewidth 2.6 linecolor rgb orange, \
     kernels using 1:2:(0):(gap(strcol(5), $2)) with vectors nohead linewidth 1 linecolor rgb ink, \
     predictions using 1:(only(have_predictions, $2)) \
       with points pointtype modelled_point pointsize 0.75 linecolor rgb ink, \
     kernels using 1:3:(0):($4 - $3) with vectors nohead linewidth 3 linecolor rgb ink, \
     kernels using 1:2 with points pointtype measured_point pointsize 0.75 linecolor rgb ink, \
     levels using (enters($2) * 1.15):(enters($2) * 1.15 * $2):(sprintf("%s %s GB/s", strcol(5), digits($2))) \
       with labels left rotate by rise font along textcolor rgb blue, \
     peaks using (x_max * 0.98):(only(shown($0, $2), $2)):(sprintf("%s %s GFLOP/s", strcol(5), digits($2))) \
       with labels right font along textcolor rgb orange, \
     kernels using 1:2:5 with labels left font near textcolor rgb ink
