# title: The time for the next token against the tokens so far, with a KV cache and without
# needs: token_with_cache token_without_cache
# shows: token_with_cache token_without_cache token_with_cache_predicted token_without_cache_predicted
height = 430
load "style.gp"
load tables."/values.gp"
cached = tables."/token_with_cache.tsv"
whole = tables."/token_without_cache.tsv"
have_with = exists("have_token_with_cache_predicted")
have_without = exists("have_token_without_cache_predicted")
cached_forecast = have_with ? tables."/token_with_cache_predicted.tsv" : cached
whole_forecast = have_without ? tables."/token_without_cache_predicted.tsv" : whole

stats cached using 1:2 name "kept" nooutput
stats whole using 1:2 name "again" nooutput
stats cached using 3 name "fast" nooutput
stats whole using 4 name "slow" nooutput
stats cached_forecast using 2 name "floor" nooutput
top_edge = 36; bottom_edge = height - 62; right_edge = width - 26
y_title = "time for one token, ms"
load "frame.gp"
set logscale xy
eval x_range(kept_min_x / 1.15, kept_max_x * 1.15)
eval y_range(smaller(fast_min, floor_min) / 1.5, larger(again_max_y, smaller(slow_max, 3 * again_max_y)) * 1.5)
eval powers_on_x
set xlabel "tokens so far" offset 0,0.9 textcolor rgb quiet
eval decades_on("y", "1 2 5")

eval key("measured", measured_point, ink)
if (have_with || have_without) {
  eval key("modelled", modelled_point, ink)
}

middle = int((kept_records - 1) / 2)

plot whole_forecast using 1:(only(have_without, $2)) with linespoints pointtype modelled_point pointsize 0.6 \
       linewidth 1.6 dashtype modelled_dash linecolor rgb purple, \
     cached_forecast using 1:(only(have_with, $2)) with linespoints pointtype modelled_point pointsize 0.6 \
       linewidth 1.6 dashtype modelled_dash linecolor rgb green, \
     whole using 1:3:4 with filledcurves fillcolor rgb purple, \
     whole using 1:2 with linespoints pointtype triangle pointsize 0.75 linewidth 2.2 linecolor rgb purple, \
     cached using 1:3:4 with filledcurves fillcolor rgb green, \
     cached using 1:2 with linespoints pointtype measured_point pointsize 0.7 linewidth 2.2 linecolor rgb green, \
     whole using 1:(only($0 == middle, $2)):("without: all tokens again") with labels right font near \
       textcolor rgb purple, \
     cached using 1:(only($0 == middle, $2)):("with: only the new one") with labels left font near \
       textcolor rgb green
