# Shared by figures against a working set: the axes, and the places for the names of the memory levels, each above its plateau.
# A script sets smallest and largest (of the working sets), lowest, highest, strip (units above the highest curve, for the
# names), y_title and the edges of the plot, then loads this.
load "frame.gp"
set logscale xy
set grid noxtics
eval x_range(smallest / 1.15, largest)  # the first mark is clear of the axis
set xtics (capacity(2.0**12) 2.0**12)
set for [k = 16:44:4] xtics add (capacity(2.0**k) 2.0**k)

y_min = lowest / 1.5
eval y_range(y_min, y_min * (highest * 1.25 / y_min)**(1 / (1 - strip / (bottom_edge - top_edge + 0.0))))
below_top(units) = y_max / (y_max / y_min)**(units / (bottom_edge - top_edge))
# The steps below the strip; steps within it are moved off the plot.
below_strip(y) = y < below_top(strip + 0.0) ? y : 1e-30
set ytics ("1" 1)
set for [k = -6:9] for [m in steps(y_min, y_max)] ytics add (tick(m * 10.0**k) below_strip(m * 10.0**k))
name_y = below_top(14.0)
value_y = below_top(35.0)

# A level reaches from the end of the one before it to its own end. Call in the order of the rows.
middle(row, end) = (start = row == 0 ? smallest : previous, previous = end, sqrt(start * smaller(end, largest)))
