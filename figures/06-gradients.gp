# title: How large the gradients of a small language model are, and which formats reach that far
# needs: gradient_sizes gradient_sizes_scaled batch_lost
# shows: gradient_sizes gradient_sizes_scaled batch_lost
# Above, sizes after the loss was divided by 4 million; below, what fp16 loses, over the number that divides the loss.
height = 786
load "style.gp"
load tables."/values.gp"
plain = tables."/gradient_sizes.tsv"
scaled = tables."/gradient_sizes_scaled.tsv"
stats plain using 1:2 name "plain" nooutput
stats scaled using 1:2 name "scaled" nooutput
x_min = smaller(plain_min_x, -40) < -60 ? -60 : smaller(plain_min_x, -40)
x_max = 20
y_max = 1.12 * larger(plain_max_y, scaled_max_y)

set multiplot
left_edge = 48; right_edge = width - 12; top_edge = 176; bottom_edge = 436
y_title = ""
load "frame.gp"
set label "gradients, % of all" at screen 2.0 / width,screen 1 - 158.0 / height textcolor rgb quiet
eval x_range(x_min, x_max)
eval y_range(0, y_max)
set xtics ("2⁻⁶⁰" -60, "2⁻⁵⁰" -50, "2⁻⁴⁰" -40, "2⁻³⁰" -30, "2⁻²⁰" -20, "2⁻¹⁰" -10, "1" 0, "2¹⁰" 10, "2²⁰" 20)
set xlabel "size" offset 0,0.9 textcolor rgb quiet

# Above the plot, each format below its name, from its smallest number to its largest; thick where it has all its digits.
array formats[4] = ["bf16", "fp16", "FP8 E5M2", "FP8 E4M3"]
array least[4] = [-133, -24, -16, -9]
array normal[4] = [-126, -14, -14, -6]
array most[4] = [128, 16, 16, 9]
place(x) = left_edge + (x - x_min) * (right_edge - left_edge + 0.0) / (x_max - x_min)
inside(x) = x < x_min ? x_min : x > x_max ? x_max : x
do for [i = 1:4] {
  y = 1 - (28.0 + (i - 1) * 36) / height
  set arrow from screen place(inside(least[i])) / width,screen y to screen place(inside(most[i])) / width,screen y \
    nohead linewidth 2 linecolor rgb grey
  set arrow from screen place(inside(normal[i])) / width,screen y to screen place(inside(most[i])) / width,screen y \
    nohead linewidth 7 linecolor rgb grey
  set label formats[i] at screen place(inside(least[i])) / width,screen y + 15.0 / height left textcolor rgb ink
}
set arrow from -25,0 to -25,y_max nohead linewidth 1.6 linecolor rgb ink
set label "← zero in fp16" at -24.3,0.95 * y_max left textcolor rgb ink
plot plain using ($1 + 0.5):2 with boxes fillcolor rgb purple, \
     plain using ($1 + 0.5):2 with histeps linewidth 1.8 linecolor rgb purple, \
     scaled using ($1 + 0.5):2 with histeps linewidth 1.8 linecolor rgb green, \
     plain using (only($1 == plain_pos_max_y, $1)):2:("as they are") with labels right font near textcolor rgb purple, \
     scaled using (only($1 == scaled_pos_max_y, $1)):2:("scaled") with labels left font near textcolor rgb green

# ---- Over the number that divides the loss ----
lost = tables."/batch_lost.tsv"
unset arrow
unset label
top_edge = 544; bottom_edge = height - 62
y_title = "gradients that fp16 rounds to zero, %"
load "frame.gp"
eval x_range(9.6, 26.4)
eval y_range(0, 104)
set xtics ("2¹⁰" 10, "2¹⁴" 14, "2¹⁸" 18, "2²²" 22, "2²⁶" 26)
set ytics 0,25,100
set xlabel "tokens by which the loss is divided before the backward pass" offset 0,0.9 textcolor rgb quiet
two(x) = log(x) / log(2)
plot lost using (two($1)):2 with linespoints pointtype simulated_point pointsize 0.7 linewidth 1.8 \
       dashtype simulated_dash linecolor rgb purple, \
     lost using (only($1 == 2**22, 22)):2:("as above") with labels right font near textcolor rgb purple
unset multiplot
