# Shared by every roofline: two logarithmic axes, the ridge, and names for both sides of it. A script sets x_min, x_max, y_min,
# y_max, ridge, peak, y_title and right_edge, then loads this. The front page's figure, which sets `few`, is for readers who
# know no technical terms yet.
top_edge = 40; bottom_edge = height - 62
load "frame.gp"
set logscale xy
eval x_range(x_min, x_max)
eval y_range(y_min, y_max)
eval decades_on("x", "1")
eval decades_on("y", steps(y_min, y_max))
set xlabel (exists("few") ? "operations for each byte moved" : "arithmetic intensity, FLOP/byte") offset 0,0.9 textcolor rgb quiet

height_of(share) = y_min * (y_max / y_min)**share
set arrow from ridge,height_of(0.25) to ridge,y_min nohead linewidth 1 dashtype quoted_dash linecolor rgb quiet
# Its name is where no kernels are, on the left, if there is room between it and the slanted roof: as a share of the axis, up to
# a height.
ridge_name = exists("few") ? "" : sprintf("ridge %s FLOP/byte", digits(ridge))
left_name = exists("few") ? "waits for memory" : "memory-bound"
right_name = exists("few") ? "waits for arithmetic" : "compute-bound"
room(height) = log10(ridge / larger(x_min, height_of(height) * ridge / peak)) / log10(x_max / x_min)
if (room(0.15) > 0.42) {
  set label ridge_name at ridge,height_of(0.11) right offset -1,0 textcolor rgb ink
} else {
  set label ridge_name at ridge,height_of(0.11) left offset 1,0 textcolor rgb ink
}
if (room(0.09) > (exists("few") ? 0.34 : 0.27)) { set label left_name at ridge,height_of(0.05) right offset -1,0 textcolor rgb quiet }
set label right_name at ridge,height_of(0.05) left offset 1,0 textcolor rgb quiet

# The angle at which a bandwidth rises.
rise = atan2((bottom_edge - top_edge) / log10(y_max / y_min), \
             (right_edge - left_edge) / log10(x_max / x_min)) / pi * 180
