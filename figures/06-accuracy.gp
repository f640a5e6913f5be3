# title: How far two language models are from their exact selves, by the format of their weights
# needs: kl_by_format kl_predicted
# shows: kl_by_format kl_predicted kl_trained kl_trained_predicted
load tables."/values.gp"
height = 440
load "style.gp"
dots = tables."/kl_by_format.tsv"
predicted = tables."/kl_predicted.tsv"
stats dots using 1 name "format" nooutput
left_edge = 116; right_edge = width - 24; top_edge = 10; bottom_edge = height - 62
have_trained = exists("have_kl_trained") && exists("have_kl_trained_predicted")
trained(suffix) = have_trained ? tables."/kl_trained".suffix.".tsv" : dots
shown(x) = have_trained ? x : NaN
eval key("random weights", simulated_point, blue)
if (have_trained) {
  eval key("trained weights", hollow_triangle, green)
}
eval key("modelled from the noise of the weights", modelled_point, ink)
y_title = ""
load "frame.gp"
set logscale x
set xrange [1e-13:4]
eval y_range(format_max + 0.6, -0.6)
set xtics ("10⁻¹²" 1e-12, "10⁻⁹" 1e-9, "10⁻⁶" 1e-6, "10⁻³" 1e-3, "1" 1)
set ytics textcolor rgb ink
set xlabel "divergence of the next token's distribution, nats" offset 0,0.9 textcolor rgb quiet
plot dots using (1e-13):1:($2 - 1e-13):(0):ytic(5) with vectors nohead linewidth 1 linecolor rgb grid, \
     dots using 3:1:($4 - $3):(0) with vectors nohead linewidth 5 linecolor rgb blue, \
     predicted using 2:1 with points pointtype modelled_point pointsize 1.15 linewidth 1.4 linecolor rgb ink, \
     dots using 2:1 with points pointtype simulated_point pointsize 0.7 linecolor rgb blue, \
     trained("_predicted") using (shown($2)):1 with points pointtype modelled_point pointsize 1.15 linewidth 1.4 linecolor rgb ink, \
     trained("") using (shown($2)):1 with points pointtype hollow_triangle pointsize 0.8 linecolor rgb green
