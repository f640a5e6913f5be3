# title: Two channels of large weights: what they do to a language model, and what a rotation mends
# needs: outlier_kl_plain outlier_kl_large outlier_kl_rotated
# shows: outlier_kl_plain outlier_kl_large outlier_kl_rotated
height = 256
load "style.gp"
curves = "outlier_kl_plain outlier_kl_large outlier_kl_rotated"
look_outlier_kl_plain   = "grey  triangle measured_dash 'no outliers'"
look_outlier_kl_large   = "ink   circle   measured_dash outliers"
look_outlier_kl_rotated = "green diamond  measured_dash rotated"
left_edge = 116; right_edge = width - 30; top_edge = 10; bottom_edge = height - 62
do for [i = 1:3] { eval key(title(i), point(i), colour(i)) }
y_title = ""
load "frame.gp"
set logscale x
set xrange [1e-3:10]
set yrange [4.6:-0.6]
set xtics ("0.001" 1e-3, "0.01" 1e-2, "0.1" 1e-1, "1" 1, "10" 10)
set ytics autofreq textcolor rgb ink
set xlabel "divergence of a language model, nats" offset 0,0.9 textcolor rgb quiet
plot series(1) using (1e-3):1:(0):(0):ytic(5) with vectors nohead linecolor rgb grid, \
     for [i = 1:3] series(i) using 2:1 with points pointtype point(i) pointsize 0.8 linecolor rgb colour(i)
