# title: Tokens per second of a language model, by the format of its weights
# needs: decode_tokens decode_tokens_one decode_tokens_predicted decode_tokens_one_predicted
# shows: decode_tokens decode_tokens_predicted decode_tokens_one decode_tokens_one_predicted decode_tokens_llamacpp
# shows: decode_tokens_llamacpp_one
# A row for each format: a bar for all threads, one for a single thread, and on each its predicted speed.
load tables."/values.gp"
tokens(suffix) = tables."/decode_tokens".suffix.".tsv"
stats tokens("") using 1:2 name "rows" nooutput
count = int(rows_records)
top_edge = 10; row_height = 40
bottom_edge = top_edge + count * row_height
height = bottom_edge + 56
load "style.gp"
raced = exists("have_decode_tokens_llamacpp") && exists("have_decode_tokens_llamacpp_one")
theirs(suffix) = raced ? tokens("_llamacpp".suffix) : tokens(suffix)

array names[count]; array formats[count]
stats tokens("") using (names[$0 + 1] = strcol(5), formats[$0 + 1] = $1) nooutput
row(format) = sum [i = 1:count] (formats[i] < format)
stats tokens("_predicted") using 2 name "predicted" nooutput
stats tokens("") using 4 name "high" nooutput

left_edge = 122; right_edge = width - 26
y_title = ""
load "frame.gp"
eval x_range(0, 1.08 * larger(high_max, predicted_max))
set xtics step_of(x_max)
eval y_range(count - 0.5, -0.5)
set grid noytics
unset ytics
set xlabel "tokens per second" offset 0,0.9 textcolor rgb quiet
do for [i = 1:count] { set label names[i] at graph 0,first (i - 1) right offset -0.8,0 textcolor rgb ink }

eval key("all threads", square, green)
eval key("one thread", square, purple)
eval key("modelled", modelled_point, ink)
if (raced) {
  eval key("llama.cpp", diamond, ink)
}

array suffixes[2] = ["", "_one"]
array colours[2] = [green, purple]
upper(i) = i == 1 ? -0.36 : 0.02
middle(i) = upper(i) + 0.17
set style fill solid 0.75 noborder
plot for [i = 1:2] tokens(suffixes[i]) using (0):(row($1)):(0):2:(row($1) + upper(i)):(row($1) + upper(i) + 0.34) \
       with boxxyerror fillcolor rgb colours[i], \
     for [i = 1:2] tokens(suffixes[i]) using 3:(row($1) + middle(i)):($4 - $3):(0) with vectors nohead linewidth 1.6 \
       linecolor rgb ink, \
     for [i = 1:2] theirs(suffixes[i]) using (only(raced, $2)):(row($1) + middle(i)) with points pointtype diamond \
       pointsize 1 linecolor rgb ink, \
     for [i = 1:2] tokens(suffixes[i]."_predicted") using 2:(row($1) + middle(i)) with points \
       pointtype modelled_point pointsize 0.9 linewidth 1.6 linecolor rgb ink
