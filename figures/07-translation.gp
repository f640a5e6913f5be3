# title: From a graph to a loop that runs: how long each stage of translation takes
# needs: translation_stages
# shows: translation_stages
height = 300
load tables."/values.gp"
load "style.gp"
stages = tables."/translation_stages.tsv"
stats stages using 1:2 name "stage" nooutput
array what[6] = ["plan the loops", "write C++", "C++ to assembly", "assemble", "link", "load"]
left_edge = 168; right_edge = width - 30; top_edge = 36; bottom_edge = height - 40
y_title = "time of each stage"
load "frame.gp"
set logscale x
eval x_range(smaller(0.1, stage_min_y / 2), stage_max_y * 14)
eval y_range(-stage_max_x - 0.6, 0.6)
set xtics ("100 ns" 0.1, "" 1, "10 µs" 10, "" 100, "1 ms" 1e3, "" 1e4, "100 ms" 1e5, "" 1e6)
set grid noytics
set ytics textcolor rgb ink
is_of_the_system(x) = x >= 2 && x <= 4
in_words(us) = us < 1 ? digits(us * 1000)." ns" : us < 1000 ? digits(us)." µs" : digits(us / 1000)." ms"
eval key("ours", circle, green)
eval key("the system’s compiler’s", square, purple)
plot stages using (x_min):(-$1):(x_max - x_min):(0):ytic(what[int($1) + 1]) with vectors nohead linewidth 0.8 linecolor rgb grid, \
     stages using (only(!is_of_the_system($1), $2)):(-$1) with points pointtype circle pointsize 0.8 linecolor rgb green, \
     stages using (only(is_of_the_system($1), $2)):(-$1) with points pointtype square pointsize 0.8 linecolor rgb purple, \
     stages using ($2 * 1.5):(-$1):(in_words($2)) with labels left textcolor rgb ink
