# title: Ticks that each rung of the fp32 ladder needs for a multiply-add, counted
# needs: rung_wavefronts
# shows: rung_wavefronts rung_port_ticks
# An SM starts the multiply-adds of four warps per tick but serves one wavefront, so a wavefront per multiply-add takes four
# ticks. Reading registers takes each of its four schedulers at least one tick.
height = 330
load "style.gp"
load tables."/values.gp"
wavefronts = tables."/rung_wavefronts.tsv"
have_ports = exists("have_rung_port_ticks")
ports = have_ports ? tables."/rung_port_ticks.tsv" : wavefronts
stats wavefronts using 1:(4 * $2) name "waves" nooutput

left_edge = 150; right_edge = width - 30; top_edge = 36; bottom_edge = height - 40
y_title = "ticks per multiply-add"
load "frame.gp"
eval key("shared memory", simulated_point, memory)
if (have_ports) { eval key("registers", 8, compute) }
set logscale x
eval x_range(smaller(waves_min_y, 0.9) / 1.6, waves_max_y * 1.6)
eval decades_on("x", steps(x_min, x_max))
eval y_range(-waves_max_x - 0.6, -0.4)
set grid xtics noytics
set ytics textcolor rgb ink
set arrow from 1,graph 0 to 1,graph 1 nohead linewidth 2.4 linecolor rgb quiet
plot wavefronts using (4 * $2):(-$1):ytic(5) with points pointtype simulated_point pointsize 0.9 linecolor rgb memory, \
     ports using (only(have_ports, $2)):(-$1) with points pointtype 8 pointsize 0.9 linecolor rgb compute
