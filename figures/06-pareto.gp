# title: What a format costs in accuracy, and what it brings in speed
# needs: pareto_formats pareto_line decode_tokens
# shows: pareto_formats pareto_line
# The upright lines are the spreads of the speeds, as they were measured by format.
height = 576
load "style.gp"
formats = tables."/pareto_formats.tsv"
line = tables."/pareto_line.tsv"
stats formats using 1:2 name "all" nooutput
rounded_min = all_max_x
stats formats using ($1 > 1e-9 && $1 < rounded_min ? (rounded_min = $1) : 0) nooutput

# The position of each format's speed, because the rows of the two tables are in different orders.
count = int(all_records)
array names[count]; array places[count]
stats formats using (names[$0 + 1] = strcol(5), places[$0 + 1] = $1) nooutput
place(text) = sum [i = 1:count] (names[i] eq text ? places[i] : 0)
speeds = tables."/decode_tokens.tsv"
stats speeds using 3:4 name "spread" nooutput

top_edge = 36; bottom_edge = height - 62; right_edge = width - 26
y_title = "speed, tokens per second; upright lines: 5 to 95% of all runs"
load "frame.gp"
set logscale xy
# fp32, whose error is that of its sums alone, is many decades nearer: it stands at the edge, and says so.
eval x_range(rounded_min / 30, all_max_x * 30)
eval y_range(smaller(all_min_y, spread_min_x) / 1.15, larger(all_max_y, spread_max_y) * 1.25)
at(x) = x < x_min ? 1.6 * x_min : x
name(text, x) = x < x_min ? "← ".text : text
set xtics ("10⁻¹⁶" 1e-16, "10⁻¹⁴" 1e-14, "10⁻¹²" 1e-12, "10⁻¹⁰" 1e-10, "10⁻⁸" 1e-8, "10⁻⁶" 1e-6, "10⁻⁴" 1e-4, \
           "10⁻²" 1e-2, "1" 1)
eval decades_on("y", "1 2 5")
set xlabel "KL divergence from fp64" offset 0,0.9 textcolor rgb quiet
set label "better" at graph 0.02,graph 0.96 textcolor rgb quiet
plot speeds using (at(place(strcol(5)))):3:(0):($4 - $3) with vectors nohead linewidth 1.2 linecolor rgb grey, \
     formats using (at($1)):2:(name(strcol(5), $1)) with labels left font near textcolor rgb ink, \
     line using (at($1)):2 with lines linewidth 2.2 linecolor rgb blue, \
     formats using (at($1)):2 with points pointtype measured_point pointsize 0.9 linecolor rgb ink, \
     line using (at($1)):2 with points pointtype measured_point pointsize 0.9 linecolor rgb blue
