# title: Prefill and decode under the roofs of this machine
# needs: serving_prefill serving_decode
# shows: serving_prefill serving_decode
height = 480
load "style.gp"
load tables."/values.gp"
prefill = tables."/serving_prefill.tsv"
decode = tables."/serving_decode.tsv"
stats prefill using 1:2 name "prefill" nooutput
stats decode using 1:2 name "decode" nooutput
stats prefill using 3 name "prefill_low" nooutput
stats decode using 3 name "decode_low" nooutput
peak = value_peak_fp32_all_gflops
bandwidth = value_bandwidth_dram_all_gbs
ridge = value_ridge_all_flop_per_byte

x_min = smaller(decode_min_x, ridge) / 1.6
x_max = larger(prefill_max_x, ridge) * 2
y_max = peak * 1.9
# The lowest step is a sixth of the height above the bottom, clear of the ridge's name.
lowest = smaller(decode_low_min, prefill_low_min)
y_min = smaller(smaller(decode_min_y, x_min * bandwidth) / 1.6, lowest * (lowest / y_max)**0.2)
right_edge = width - 12
y_title = "speed, GFLOP/s"
load "roofline-axes.gp"

set arrow from larger(x_min, y_min / bandwidth),larger(y_min, x_min * bandwidth) to ridge,peak nohead linewidth 2.2 \
  dashtype modelled_dash linecolor rgb ink
set arrow from ridge,peak to x_max,peak nohead linewidth 2.2 dashtype modelled_dash linecolor rgb ink
set label sprintf("DRAM, %s GB/s", digits(bandwidth)) at sqrt(x_min * ridge),1.3 * sqrt(x_min * ridge) * bandwidth \
  rotate by rise font along textcolor rgb ink
set label sprintf("arithmetic, %s GFLOP/s", digits(peak)) at x_max * 0.98,peak right font along textcolor rgb ink

# The smallest and the largest step are labelled with their sizes, one in the middle with its name.
first_word(label) = word(label, 1)
middle(records) = int((records - 1) / 2)
plot prefill using 1:3:(0):($4 - $3) with vectors nohead linewidth 3 linecolor rgb compute, \
     prefill using 1:2 with points pointtype triangle pointsize 0.85 linecolor rgb compute, \
     decode using 1:3:(0):($4 - $3) with vectors nohead linewidth 3 linecolor rgb memory, \
     decode using 1:2 with points pointtype circle pointsize 0.75 linecolor rgb memory, \
     prefill using (only($1 == prefill_max_x, $1)):2:(first_word(strcol(5))." tokens") with labels left font near \
       textcolor rgb compute, \
     prefill using (only($0 == middle(prefill_records), $1)):2:("prefill") with labels left font near \
       textcolor rgb compute, \
     decode using (only($1 == decode_min_x, $1)):2:(first_word(strcol(5))." reader") with labels left font near \
       textcolor rgb memory, \
     decode using (only($1 == decode_max_x, $1)):2:(first_word(strcol(5))." readers") with labels left font near \
       textcolor rgb memory, \
     decode using (only($0 == middle(decode_records), $1)):2:("decode") with labels left font near textcolor rgb memory
