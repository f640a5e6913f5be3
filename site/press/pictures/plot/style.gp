# The look of every figure, and the only place that decides it. A script sets `height`, then loads this.
#
# Colours are names for the CSS variables --hf-NAME, whose values for light, dark and paper are in press/static/figures.css.
# press/pictures/gnuplot.py replaces them, and refuses any other colour.
ink    = "#c0de01"  # what the figure is about, and its labels
quiet  = "#c0de02"  # axes and remarks
grid   = "#c0de03"
paper  = "#c0de04"
blue   = "#c0de05"
orange = "#c0de06"
green  = "#c0de07"
purple = "#c0de08"
grey   = "#c0de09"
# Only for the cooks and the door. Other curves are ink, green, purple and grey; if one more is needed, blue, unless the cooks
# or the door are near.
compute = blue
memory  = orange

# Four kinds of numbers, distinguished by marker and dash, never by colour alone:
#              marker              line
#   measured   filled              solid
#   modelled   hollow circle       short dashes
#   simulated  hollow square       dash and dot
#   quoted     hollow diamond      dots, grey
measured_point  = 7;   measured_dash  = 1;  set dashtype 1 solid
modelled_point  = 6;   modelled_dash  = 2;  set dashtype 2 (4,4)
simulated_point = 4;   simulated_dash = 3;  set dashtype 3 (9,4,1.5,4)
quoted_point    = 12;  quoted_dash    = 4;  set dashtype 4 (1.5,3.5)
# Measured curves that share a panel differ in their filled marker, and a second variant in long dashes.
# The reader's own kernel is a star, filled for the last attempt.
yours_point = 15; earlier_point = 14
circle = 7; triangle = 9; diamond = 13; square = 5; hollow_triangle = 8; hollow_diamond = 12
long_dash = 5;  set dashtype 5 (11,5)

# The width makes text, 18 units high, 15 pixels high on a wide page and 11 on one of 360 pixels; see figures.css.
width = 560
left_edge = 62
set terminal svg size width,height noenhanced font "fixed,18" linewidth 1 rounded
set output output
set encoding utf8
set datafile separator "\t"

# The font's name says whether gnuplot.py may move a label away from obstacles: "near" stays close to its point, "along" slides on
# its straight line, "end" moves up or down beside the end of a curve, "over" moves sideways. "bare" does not move, and has no
# seam of paper colour around it, for a shaded background. "key" with a point type is an entry of the legend.
near = "near,18"
along = "along,18"
end = "end,18"
over = "over,18"
bare = "bare,18"

# An entry of the legend, to be evaluated: a name after its marker, or without one if the point type is 0. gnuplot.py puts the
# legend of every figure in the same place, in rows above the figure.
key(name, type, colour) = sprintf('set label "%s" at screen 0,screen 1 font "key%d,18" textcolor rgb "%s"', name, type, colour)

set key off
set border 0
set tics scale 0 nomirror textcolor rgb quiet
set grid xtics ytics back linetype 1 linewidth 0.8 linecolor rgb grid
set style data lines
set style fill transparent solid 0.16 noborder
set xtics offset 0,0.2
set ytics offset 0.6,0
set format "%g"

# The value where it is to be drawn; otherwise nothing is drawn.
only(condition, value) = condition ? value : NaN
smaller(a, b) = a < b ? a : b
larger(a, b) = a > b ? a : b

# A table of variants: `curves` are the ids of series, and look_ID is a row, "colour point dash name". A series without a row is
# grey, and one without a name in its row has that of the record.
series(i) = tables."/".word(curves, i).".tsv"
look(i, part) = (look_ = "look_".word(curves, i), word(exists(look_) ? value(look_) : "grey square measured_dash", part))
colour(i) = value(look(i, 1))
point(i) = value(look(i, 2))
dash(i) = value(look(i, 3))
title(i) = look(i, 4) eq "" ? value("have_".word(curves, i)) : look(i, 4)

# A range that depends on the data, to be evaluated: also sets x_min and x_max, or y_min and y_max. If two machines share
# their axes, gnuplot.py reads each machine's ranges from `print`, and passes ends that suit both in common_x1_from,
# common_x1_to and so on, numbered in the order of the calls.
x_ranges = 0; y_ranges = 0
x_range(from, to) = (x_ranges = x_ranges + 1, range("x", sprintf("x%d", x_ranges), from, to))
y_range(from, to) = (y_ranges = y_ranges + 1, range("y", sprintf("y%d", y_ranges), from, to))
range(axis, name, from, to) = (exists("sharing") ? sprintf('print "%s %.17e %.17e"; ', name, from, to) : "").sprintf( \
  '%s_min = %.17e; %s_max = %.17e; set %srange [%s_min:%s_max]', \
  axis, end_of(name."_from", from), axis, end_of(name."_to", to), axis, axis, axis)
end_of(name, value_) = exists("common_".name) ? value("common_".name) : value_

# Numbers on a logarithmic axis, to be evaluated: 1, 2 and 5 in each decade or, on a wide range, only 1; or the powers of two.
steps(low, high) = high < 300 * low ? "1 2 5" : "1"
decades_on(axis, steps) = 'set '.axis.'tics ("1" 1); set for [k = -6:9] for [m in "'.steps.'"] '.axis. \
                          'tics add (tick(m * 10.0**k) m * 10.0**k)'
powers_on_x = 'set xtics ("1" 1); set for [k = 1:20] xtics add (digits(2.0**k) 2.0**k)'
tick(v) = v < 1e6 ? digits(v) : sprintf("%g", v)

# A round step that divides a range into about five.
magnitude(x) = 10.0**floor(log10(x))
rounded_up(x) = x > 5 ? 10 : x > 2 ? 5 : x > 1 ? 2 : 1
step_of(range) = magnitude(range / 5.0) * rounded_up(range / 5.0 / magnitude(range / 5.0))

# Numbers as in prose: three digits, capacities in KiB, MiB, GiB; commas between thousands from five digits on.
digits(v) = abs(v) < 1000 || abs(v) >= 1e15 ? sprintf("%.3g", v) : \
            abs(v) < 9999.5 ? sprintf("%.0f", v) : (v < 0 ? "-" : "").grouped(sprintf("%.0f", abs(v)))
grouped(s) = strlen(s) <= 3 ? s : grouped(s[1:strlen(s) - 3]).",".s[strlen(s) - 2:strlen(s)]
capacity(b) = b < 2**20 ? sprintf("%.3g KiB", b / 2.0**10) : b < 2**30 ? sprintf("%.3g MiB", b / 2.0**20) : \
              sprintf("%.3g GiB", b / 2.0**30)
