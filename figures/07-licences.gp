# title: What another order is worth, and leave to take it
# needs: licence_gains
# shows: licence_gains licence_gains_predicted
height = 640
load "style.gp"
load tables."/values.gp"
gains = tables."/licence_gains.tsv"
predicted = exists("have_licence_gains_predicted")
expected = tables."/licence_gains".(predicted ? "_predicted" : "").".tsv"
# Nine gains, by their places in the record, in four groups with a line of its own for each group's name.
array names[9] = ["running sums", "sweep, skewed", "sweep, stored skewed", "two arrays", "six arrays", "dot product", \
                  "sums of columns", "product", "product, both leaves"]
array groups[4] = ["in another order", "restrict: no overlap", "leave to add in any order", \
                   "leave to exchange loops"]
group(place) = place <= 3 ? 1 : place <= 5 ? 2 : place == 6 ? 3 : 4
row(place) = place + 1.1 * group(place)
stats gains using (place = int($1), row(place)) name "rows" nooutput
stats gains using 2 name "gain" nooutput
stats gains using 4 name "high" nooutput

left_edge = 208; right_edge = width - 24
top_edge = 60; bottom_edge = height - 62
y_title = ""
load "frame.gp"
set logscale x
set grid noytics
unset ytics
x_low = smaller(0.75, gain_min / 1.2); x_high = larger(50, gain_max * 1.2)
within(value) = larger(x_low, smaller(value, x_high))
set xrange [x_low:x_high]
set yrange [rows_max + 0.7:rows_min - 1.5]
set xtics ("1×" 1, "2×" 2, "5×" 5, "10×" 10, "20×" 20, "50×" 50, "100×" 100)
set xlabel "times as fast" offset 0,0.9 textcolor rgb quiet
key_y = 1 - 22.0 / height
set object rectangle from screen 14.0 / width,screen key_y - 7.0 / height to screen 28.0 / width,screen key_y + 7.0 / height \
  fillcolor rgb blue fillstyle solid 0.75 noborder
set label "measured" at screen 34.0 / width,screen key_y textcolor rgb ink
set label "predicted, by the lanes of a vector" at screen 140.0 / width,screen key_y offset 0.4,-0.3 textcolor rgb ink \
  point pointtype modelled_point pointsize 0.9 linecolor rgb ink
named = ""
stats gains using (place = int($1), named = named.sprintf(" %d", place), place) nooutput
before = 0
do for [each in named] {
  place = int(each)
  set label names[place] at graph 0,first row(place) right offset -0.8,0 textcolor rgb ink
  if (group(place) != before) {
    set label groups[group(place)] at screen 8.0 / width,first row(place) - 0.95 left textcolor rgb quiet
    before = group(place)
  }
}
set arrow from 1,graph 0 to 1,graph 1 nohead linewidth 1.4 linecolor rgb quiet
set style fill solid 0.75 noborder
plot gains using (1):(row(int($1))):(1):2:(row(int($1)) - 0.3):(row(int($1)) + 0.3) with boxxyerror fillcolor rgb blue, \
     gains using (within($3)):(row(int($1))):(within($4) - within($3)):(0) with vectors nohead linewidth 1.6 linecolor rgb ink, \
     expected using (only(predicted, $2)):(row(int($1))) with points pointtype modelled_point pointsize 0.9 linewidth 1.6 \
       linecolor rgb ink
