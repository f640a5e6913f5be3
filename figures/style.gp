# The look of every figure, and the only place that decides it. A script sets `height`, then loads this.
#
# Colours are names: each stands for the CSS variable --hf-NAME, whose values for light, dark and paper are in
# site/static/figures.css. site/hardware_first/draw.py replaces them and refuses any colour that is not one of these.
ink    = "#c0de01"  # what the figure is about, and its labels
quiet  = "#c0de02"  # axes and remarks
grid   = "#c0de03"
paper  = "#c0de04"
blue   = "#c0de05"
orange = "#c0de06"
green  = "#c0de07"
purple = "#c0de08"
grey   = "#c0de09"
# The cooks and the door, and nothing else. Other curves are ink, green, purple and grey; blue, where one more is needed and
# neither of the two is near.
compute = blue
memory  = orange

# Four kinds of numbers, told apart by marker and dash, never by colour alone:
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
circle = 7; triangle = 9; diamond = 13; square = 5
long_dash = 5;  set dashtype 5 (11,5)

# So wide that the text, 18 units high, is 15 pixels on a wide page and 11 on one of 360; see figures.css.
width = 560
left_edge = 62
set terminal svg size width,height noenhanced font "fixed,18" linewidth 1 rounded
set output output
set encoding utf8
set datafile separator "\t"

# The font's name says whether draw.py may move a label to where nothing is in its way: "near" stays close to the
# point it is put at, "along" slides on the straight line it is put on, "end" moves up or down beside the end of a
# curve, "over" moves sideways. "bare" stays, and has no seam of paper round it: it stands on a shaded ground. "key" with a
# point type is an entry of the legend.
near = "near,18"
along = "along,18"
end = "end,18"
over = "over,18"
bare = "bare,18"

# An entry of the legend, to be evaluated: a name behind its marker, or alone where the point type is 0. draw.py puts the
# legend of every figure in the same place, in rows above it.
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

# A value where it is to be drawn; nothing is drawn of the others.
only(condition, value) = condition ? value : NaN
smaller(a, b) = a < b ? a : b
larger(a, b) = a > b ? a : b

# A range that follows from the data, to be evaluated: it sets x_min and x_max too, or y_min and y_max. Where two machines
# share their axes, draw.py learns from `print` what each range came to, and gives the ends that suit both in common_x1_from,
# common_x1_to and so on, numbered in the order of the calls.
x_ranges = 0; y_ranges = 0
x_range(from, to) = (x_ranges = x_ranges + 1, range("x", sprintf("x%d", x_ranges), from, to))
y_range(from, to) = (y_ranges = y_ranges + 1, range("y", sprintf("y%d", y_ranges), from, to))
range(axis, name, from, to) = (exists("sharing") ? sprintf('print "%s %.17e %.17e"; ', name, from, to) : "").sprintf( \
  '%s_min = %.17e; %s_max = %.17e; set %srange [%s_min:%s_max]', \
  axis, end_of(name."_from", from), axis, end_of(name."_to", to), axis, axis, axis)
end_of(name, value_) = exists("common_".name) ? value("common_".name) : value_

# Names on a logarithmic axis, to be evaluated: the steps of each decade, 1, 2 and 5 or, where the range is wide, 1 only;
# the powers of two.
steps(low, high) = high < 300 * low ? "1 2 5" : "1"
decades_on(axis, steps) = 'set '.axis.'tics ("1" 1); set for [k = -6:9] for [m in "'.steps.'"] '.axis. \
                          'tics add (tick(m * 10.0**k) m * 10.0**k)'
powers_on_x = 'set xtics ("1" 1); set for [k = 1:20] xtics add (digits(2.0**k) 2.0**k)'
tick(v) = v < 1e6 ? digits(v) : sprintf("%g", v)

# A round step, of which about five make a range.
magnitude(x) = 10.0**floor(log10(x))
rounded_up(x) = x > 5 ? 10 : x > 2 ? 5 : x > 1 ? 2 : 1
step_of(range) = magnitude(range / 5.0) * rounded_up(range / 5.0 / magnitude(range / 5.0))

# Numbers as people write them: three digits, capacities in KiB, MiB, GiB; a comma (as in prose) between the
# thousands from five digits on.
digits(v) = abs(v) < 1000 || abs(v) >= 1e15 ? sprintf("%.3g", v) : \
            abs(v) < 9999.5 ? sprintf("%.0f", v) : (v < 0 ? "-" : "").grouped(sprintf("%.0f", abs(v)))
grouped(s) = strlen(s) <= 3 ? s : grouped(s[1:strlen(s) - 3]).",".s[strlen(s) - 2:strlen(s)]
capacity(b) = b < 2**20 ? sprintf("%.3g KiB", b / 2.0**10) : b < 2**30 ? sprintf("%.3g MiB", b / 2.0**20) : \
              sprintf("%.3g GiB", b / 2.0**30)
