# title: The roofline of this machine, one thread
# needs: peaks_fp32 plateaus_bandwidth kernels
# shows: memory_streams plateaus_bandwidth peaks_fp32 roofs_fp32 kernels kernels_predicted products_operational
# A script that sets few, "|dot|axpy|", then loads this, draws only these kernels, and the naive product in a colour of its own.
# One thick roof, of the fastest stream through memory and the widest instructions, and the flat roof of scalar code. Caches and
# the other instruction sets are only in the table: their lines would be names, not limits of what is drawn.
height = 548
load "style.gp"
load tables."/values.gp"
peaks = tables.(exists("have_roofs_fp32") ? "/roofs_fp32.tsv" : "/peaks_fp32.tsv")  # those that coincide are one
levels = tables."/plateaus_bandwidth.tsv"
kernels = tables."/kernels.tsv"
have_predictions = exists("have_kernels_predicted") && !exists("few")
predictions = have_predictions ? tables."/kernels_predicted.tsv" : kernels
have_products = exists("have_products_operational") && !exists("few")
products = have_products ? tables."/products_operational.tsv" : kernels

stats peaks using 2 name "peak" nooutput
stats peaks every ::0::0 using 2 name "scalar" nooutput
if (exists("value_peak_fp32_scalar_gflops")) { scalar_max = value_peak_fp32_scalar_gflops }  # FMA included
stats levels using (roof = $2) name "bandwidth" nooutput  # DRAM is the last level
if (exists("value_memory_roof_gbs")) { roof = value_memory_roof_gbs }  # older records only have reading
stats kernels using 1:2 name "kernel" nooutput
stats products using 1 name "product" nooutput
# The reader's own loop, where there is one: a star for the last attempt, hollow ones for the others.
have_yours = exists("yours")
your_dots = have_yours ? yours : kernels
stats your_dots using 1:2 name "stars" nooutput
peak = peak_max
ridge = peak / roof

# Joins each kernel's prediction, found by its name, to its measurement.
stats predictions using 2 name "prediction" nooutput
array names[prediction_records]
array forecasts[prediction_records]
stats predictions using (names[$0 + 1] = strcol(5), forecasts[$0 + 1] = $2) nooutput
forecast(name) = sum [i = 1:prediction_records] (names[i] eq name ? forecasts[i] : 0)
called(name) = name eq "5-point stencil" ? "stencil" : \
               exists("few") && name eq "blocked matmul" ? "tuned product" : \
               exists("few") && name eq "naive matmul" ? "three plain loops" : name  # as short as the others
drawn(name) = exists("few") ? strstrt(few, "|".name."|") > 0 : 1
is_apart(name) = exists("few") && name eq "naive matmul"
gap(name, speed) = forecast(name) > 0 ? forecast(name) - speed : 0

# The same multiplications in two orders.
naive = NaN; blocked = NaN; matmul_x = NaN
stats kernels using (strcol(5) eq "naive matmul" ? (naive = $2, matmul_x = $1) : \
                     strcol(5) eq "blocked matmul" ? (blocked = $2) : 0) nooutput

# Leaves room for every dot and for the names of the roofs, on both sides of the ridge.
x_min = smaller(smaller(smaller(kernel_min_x, stars_min_x), product_min) / 2.2, ridge / 30)
x_max = larger(larger(kernel_max_x, stars_max_x) * 3, ridge * 12)
y_min = smaller(smaller(kernel_min_y, stars_min_y), peak_min) / (have_products ? 3.5 : 2.2)  # the ridge's name is below them
if (exists("few")) { y_min = smaller(y_min, 0.43) }  # the reader's own dot may be as low as 0.5
y_max = peak * 2.2
right_edge = width - 12
y_title = "speed, GFLOP/s"
load "roofline-axes.gp"

x_low = larger(x_min, y_min / roof)
if (!exists("few")) { eval key("measured", measured_point, ink) }
if (have_predictions) {
  eval key("modelled", modelled_point, ink)
}
if (have_products) { eval key("by bytes that crossed, simulated", simulated_point, ink) }
set arrow from x_low,x_low * roof to ridge,peak nohead linewidth 3.2 linecolor rgb memory
set arrow from ridge,peak to x_max,peak nohead linewidth 3.2 linecolor rgb compute
if (scalar_max < peak && !exists("few")) {
  set arrow from scalar_max / roof,scalar_max to x_max,scalar_max nohead linewidth 1.2 linecolor rgb compute
}
middle = sqrt(x_low * ridge)
set label sprintf("memory: %s GB/s", digits(roof)) at middle,middle * roof center rotate by rise font along textcolor rgb memory
set label sprintf("arithmetic: %s GFLOP/s", digits(peak)) at x_max * 0.98,peak right font along textcolor rgb compute
if (scalar_max < peak && !exists("few")) {
  set label sprintf("scalar: %s", digits(scalar_max)) at x_max * 0.98,scalar_max right font along textcolor rgb compute
}
# A bracket to the right of both orders, and its name along the longer of the parts into which the scalar roof cuts it.
if (blocked > 3 * naive) {
  apart_x = matmul_x * (x_max / x_min)**0.04
  tip_x = apart_x / (x_max / x_min)**0.012
  apart = exists("few") ? purple : ink
  set arrow from apart_x,naive to apart_x,blocked nohead linewidth 1.2 linecolor rgb apart
  do for [y in sprintf("%.9g %.9g", naive, blocked)] {
    set arrow from tip_x,y + 0 to apart_x,y + 0 nohead linewidth 1.2 linecolor rgb apart
  }
  cut = scalar_max < peak && !exists("few") && naive < scalar_max && scalar_max < blocked ? scalar_max : naive
  long = sqrt(cut * (cut**2 < naive * blocked ? blocked : naive))
  set label digits(blocked / naive).(exists("few") ? " times" : "×")." apart" at apart_x,long center rotate by 90 font along \
    textcolor rgb apart
}

plot kernels using 1:2:(0):(gap(strcol(5), $2)) with vectors nohead linewidth 1 linecolor rgb ink, \
     products using (only(have_products, $1)):2:(matmul_x - $1):(0) with vectors nohead linewidth 1 \
       dashtype simulated_dash linecolor rgb ink, \
     products using (only(have_products, $1)):2 \
       with points pointtype simulated_point pointsize 0.75 linecolor rgb ink, \
     predictions using 1:(only(have_predictions, $2)) \
       with points pointtype modelled_point pointsize 0.75 linecolor rgb ink, \
     kernels using 1:(only(drawn(strcol(5)), $3)):(0):($4 - $3) with vectors nohead linewidth 3 linecolor rgb ink, \
     kernels using 1:(only(drawn(strcol(5)), $2)) with points pointtype measured_point pointsize 0.75 linecolor rgb ink, \
     kernels using 1:(only(drawn(strcol(5)), $2)):(called(strcol(5))) with labels left font near textcolor rgb ink, \
     your_dots using 1:(only(have_yours && $5 > 0, $2)) with points pointtype earlier_point pointsize 0.7 linecolor rgb quiet, \
     your_dots using 1:(only(have_yours && $5 == 0, $2)) with points pointtype yours_point pointsize 1 linecolor rgb ink, \
     your_dots using 1:(only(have_yours && $5 == 0, $2)):("yours") with labels left font near textcolor rgb ink, \
     kernels using 1:(only(is_apart(strcol(5)), $2)) with points pointtype measured_point pointsize 1 linecolor rgb purple, \
     kernels using 1:(only(is_apart(strcol(5)), $2)):(called(strcol(5))) with labels left font near textcolor rgb purple
