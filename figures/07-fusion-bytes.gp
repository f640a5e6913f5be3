# title: The time of relu · 0.5 + 1 in seven ways, by the bytes that cross memory, on all cores and on one
# needs: fusion_elementwise_time fusion_elementwise_by_hand fusion_elementwise_copying
# needs: fusion_elementwise_time_one fusion_elementwise_by_hand_one fusion_elementwise_copying_one
# shows: fusion_elementwise_time fusion_elementwise_by_hand fusion_elementwise_copying
# shows: fusion_elementwise_time_one fusion_elementwise_by_hand_one fusion_elementwise_copying_one
# A row for each method, grouped by the bytes that it moves: a bar for all cores, one for a single core, and on each the time to
# copy the same number of bytes.
# The reader's own loop, where there is one, has a row of its own: as much faster than the three loops as in its race.
have_yours = exists("yours")
height = have_yours ? 672 : 604
load "style.gp"
file(name) = tables."/fusion_elementwise_".name.".tsv"
array cores[2] = ["", "_one"]
array colours[2] = [green, purple]
# Each method's name in the record and in the figure, and its row; a separate line names the bytes of a group.
array ways[7] = ["by operators", "three passes", "compiled, ordinary stores", "one pass", \
                 "compiled, non-temporal stores", "one pass, non-temporal", "one pass, in place"]
array names[7] = ["operator by operator", "three loops by hand", "compiled", "one loop by hand", \
                  "compiled, non-temporal", "by hand, non-temporal", "by hand, in place"]
array rows[7] = [1, 2, 4, 5, 7, 8, 9]
row(way) = sum [i = 1:7] (way eq ways[i] ? rows[i] : 0)
highest = 0
do for [i = 1:2] {
  do for [series in "time by_hand copying"] {
    stats file(series.cores[i]) using 2 name "time" nooutput
    highest = larger(highest, time_max)
  }
}
your_file = have_yours ? yours : file("time")
if (have_yours) {
  stats file("by_hand_one") using (only(strcol(5) eq "three passes", $2)) name "slowest" nooutput
  stats your_file using 1 name "your_size" nooutput
  stats your_file using (only($1 == your_size_max, slowest_min / $6)) name "your_time" nooutput
  highest = larger(highest, your_time_max)
}
your_time(shown) = have_yours && shown && column(1) == your_size_max ? slowest_min / column(6) : NaN
x_max = highest * 1.12

left_edge = 212; right_edge = width - 26; top_edge = 14; bottom_edge = height - 56
y_title = ""
load "frame.gp"
eval x_range(0, x_max)
set yrange [(have_yours ? 11 : 9.6):-0.4]
set grid noytics
unset ytics
set xlabel "time, ms" offset 0,0.9 textcolor rgb quiet
do for [i = 1:7] { set label names[i] at graph 0,first rows[i] right offset -0.8,0 textcolor rgb ink }
stats file("time") using (row(strcol(5)) == 1 ? (first_bytes = $1) : row(strcol(5)) == 4 ? (second_bytes = $1) : (third_bytes = $1)) nooutput
set label digits(first_bytes / 1e6)." MB cross memory" at screen 2.0 / width,first 0.1 textcolor rgb quiet
set label digits(second_bytes / 1e6)." MB cross memory" at screen 2.0 / width,first 3.1 textcolor rgb quiet
set label digits(third_bytes / 1e6)." MB cross memory" at screen 2.0 / width,first 6.1 textcolor rgb quiet

if (have_yours) { set label "yours" at graph 0,first 10.4 right offset -0.8,0 textcolor rgb ink }

eval key("all cores", square, green)
eval key("one core", square, purple)
eval key("modelled: copying as many bytes", modelled_point, ink)

upper(i) = i == 1 ? -0.38 : 0.02
middle(i) = upper(i) + 0.18
group(bytes) = bytes == first_bytes ? 1 : bytes == second_bytes ? 4 : 7
set style fill solid 0.75 noborder
plot for [i = 1:2] for [series in "time by_hand"] file(series.cores[i]) \
       using (0):(row(strcol(5))):(0):2:(row(strcol(5)) + upper(i)):(row(strcol(5)) + upper(i) + 0.36) \
       with boxxyerror fillcolor rgb colours[i], \
     for [i = 1:2] for [series in "time by_hand"] file(series.cores[i]) \
       using 3:(row(strcol(5)) + middle(i)):(smaller($4, x_max) - $3):(0) with vectors nohead linewidth 1.6 linecolor rgb ink, \
     for [i = 1:2] for [k = 0:2] file("copying".cores[i]) \
       using (only(k < 2 || group($1) == 7, $2)):(group($1) + k + middle(i)) with points pointtype modelled_point \
       pointsize 0.9 linewidth 1.6 linecolor rgb ink, \
     your_file using (your_time($5 > 0)):(10.4) with points pointtype earlier_point pointsize 0.9 linecolor rgb quiet, \
     your_file using (your_time($5 == 0)):(10.4) with points pointtype yours_point pointsize 1.3 linecolor rgb ink
