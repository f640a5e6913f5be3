# title: Which tensor is cut along which side, and what must then travel
# needs: travel_data travel_tensor travel_pipeline_1f1b travel_experts
# shows: travel_data travel_tensor travel_pipeline_1f1b travel_experts
# Four chips, four colours. Cut: each colour's piece is on that chip. A stack: each chip has its own copy. In a frame: what is
# sent.
row_height = 136; first_row = 62
height = first_row + 5 * row_height + 46
load "style.gp"
# The MB that a rank of four sends in a step: counted.
array counted[5] = ["data", "data", "tensor", "pipeline_1f1b", "experts"]
array bytes[5]
do for [r = 1:5] { stats tables."/travel_".counted[r].".tsv" using ($1 == 4 ? (bytes[r] = 1e6 * $2) : NaN) nooutput }

left_edge = 0; right_edge = width
set lmargin at screen 0
set rmargin at screen 1
set tmargin at screen 1
set bmargin at screen 0
set xrange [0:width]
set yrange [height:0]  # in the figure's own units, downwards
unset xtics
unset ytics
unset grid
array chip[4] = [ink, grey, green, purple]

# Commands, to be evaluated; positions and sizes in units.
filled(x, y, w, h, colour) = sprintf('set object rectangle from %g,%g to %g,%g fillcolor rgb "%s" fillstyle solid 1 noborder', \
                                     x, y, x + w, y + h, colour)
covered(x, y, w, h) = sprintf('set object rectangle from %g,%g to %g,%g fillcolor rgb "%s" fillstyle solid 1 noborder', \
                              x - 1.5, y - 1.5, x + w + 1.5, y + h + 1.5, paper)
line(x, y, to_x, to_y, colour, thick) = sprintf('set arrow from %g,%g to %g,%g nohead linewidth %g linecolor rgb "%s"', \
                                                x, y, to_x, to_y, thick, colour)
arrow(x, y, to_x, to_y, colour) = sprintf('set arrow from %g,%g to %g,%g head filled size 9,20 linewidth 1.4 linecolor rgb "%s"', \
                                          x, y, to_x, to_y, colour)
say(x, y, text, how, colour) = sprintf('set label "%s" at %g,%g %s textcolor rgb "%s"', text, x, y, how, colour)

# A tensor: cut into rows or columns, or a stack of four; centred at a height.
rows(x, y, w, h) = pieces(4, x, y - h / 2., 0, h / 4., w, h / 4. - 2)
columns(x, y, w, h) = pieces(4, x, y - h / 2., w / 4., 0, w / 4. - 2, h)
pieces(n, x, y, dx, dy, w, h) = piece(1, x, y, dx, dy, w, h)."; ".piece(2, x, y, dx, dy, w, h)."; ". \
                                piece(3, x, y, dx, dy, w, h)."; ".piece(4, x, y, dx, dy, w, h)
piece(i, x, y, dx, dy, w, h) = filled(x + (i - 1) * dx, y + (i - 1) * dy, w, h, chip[i])
stack(x, y, w, h) = sheet(4, x, y - h / 2., w, h)."; ".sheet(3, x, y - h / 2., w, h)."; ". \
                    sheet(2, x, y - h / 2., w, h)."; ".sheet(1, x, y - h / 2., w, h)
sheet(i, x, y, w, h) = covered(x + 4 * (i - 2.5), y - 4 * (i - 2.5), w, h)."; ".filled(x + 4 * (i - 2.5), y - 4 * (i - 2.5), w, h, chip[i])
# A frame around what is sent; stacks are wider.
frame(x, y, w, h) = line(x, y, x + w, y, ink, 1.8)."; ".line(x + w, y, x + w, y + h, ink, 1.8)."; ". \
                    line(x + w, y + h, x, y + h, ink, 1.8)."; ".line(x, y + h, x, y, ink, 1.8)
framed(x, y, w, h) = frame(x - 4, y - h / 2. - 4, w + 6, h + 6)
framed_stack(x, y, w, h) = frame(x - 11, y - h / 2. - 11, w + 22, h + 22)

# The key.
do for [i = 1:4] { eval filled(14 + 18 * (i - 1), 12, 14, 14, chip[i]) }
eval say(92, 19, "four chips", "left", ink)
eval stack(236, 19, 18, 10)
eval say(268, 19, "each has one", "left", ink)
eval frame(432, 12, 14, 14)
eval say(454, 19, "travels", "left", ink)
eval say(14, height - 42, "What a chip sends in a step. W: all weights, X: all rows, in bytes;", "left", quiet)
eval say(14, height - 20, "L blocks, p chips. The numbers were counted, on four.", "left", quiet)

array titles[5] = ["data: the rows are cut", "data, sharded: the optimiser's state is cut too", \
                   "tensor: the columns of W₁, the rows of W₂ are cut", "pipeline: the blocks are cut", \
                   "experts: they are whole, rows go to theirs"]
array what[5] = ["all-reduce", "reduce-scatter", "all-reduce", "send", "all-to-all"]
array of_what[5] = ["gradients", "and all-gather", "x, and its gradient", "x, and its gradient", "rows, and back"]
array formula[5] = ["2 W (p − 1)/p", "2 W (p − 1)/p", "4 L X (p − 1)/p", "2 X (p − 1)/p", "4 L X (p − 1)/p²"]
text_x = 406
do for [r = 1:5] {
  top = first_row + (r - 1) * row_height
  eval line(14, top - 14, width - 14, top - 14, grid, 1)
  eval say(14, top + 4, titles[r], "left", ink)
  eval say(text_x, top + 34, what[r], "left", ink)
  eval say(text_x, top + 56, of_what[r], "left", quiet)
  eval say(text_x, top + 78, formula[r], "left", quiet)
  eval say(text_x, top + 100, capacity(bytes[r]), "left", ink)
}

# Sides of the tensors: rows of a batch, numbers in a row, hidden numbers.
n = 64; d = 26; h = 60
middle(r) = first_row + (r - 1) * row_height + 60
name(x, w, r, text) = say(x + w / 2., middle(r) + 51, text, "center", quiet)

# data
y = middle(1)
eval rows(24, y, d, n); eval name(24, d, 1, "x")
eval stack(90, y, h, d); eval name(90, h, 1, "W₁"); eval framed_stack(90, y, h, d)
eval rows(188, y, h, n); eval name(188, h, 1, "hidden")
eval stack(286, y, d, h); eval name(286, d, 1, "W₂"); eval framed_stack(286, y, d, h)
eval rows(356, y, d, n); eval name(356, d, 1, "x")

# tensor
y = middle(3)
eval stack(24, y, d, n); eval name(24, d, 3, "x")
eval columns(90, y, h, d); eval name(90, h, 3, "W₁")
eval columns(188, y, h, n); eval name(188, h, 3, "hidden")
eval rows(286, y, d, h); eval name(286, d, 3, "W₂")
eval stack(356, y, d, n); eval name(356, d, 3, "x"); eval framed_stack(356, y, d, n)

# between them
do for [r in "1 3"] {
  y = middle(r + 0)
  eval say(68, y, "·", "center", ink); eval say(268, y, "·", "center", ink)
  eval say(175, y, "→", "center", ink); eval say(334, y, "→", "center", ink)
}

# data, sharded
y = middle(2)
eval stack(36, y, h, d); eval name(36, h, 2, "gradients"); eval framed_stack(36, y, h, d)
eval arrow(116, y, 148, y, ink)
eval columns(168, y - 17, h, d); eval columns(168, y + 17, h, d); eval name(168, h, 2, "moments")
eval arrow(246, y, 278, y, ink)
eval stack(310, y, h, d); eval name(310, h, 2, "weights"); eval framed_stack(310, y, h, d)

# pipeline: a block of each chip; x goes through in micro-batches
y = middle(4)
do for [i = 1:4] {
  x = 24 + 98 * (i - 1)
  eval filled(x, y - 7, 30, 14, chip[i]); eval filled(x + 34, y - 15, 14, 30, chip[i])
  eval name(x, 48, 4, sprintf("block %d", i))
  if (i < 4) {
    do for [k = 0:3] { eval filled(x + 60, y - 20 + 10 * k, 13, 8, chip[i]) }
    eval frame(x + 56, y - 24, 21, 46)
    eval arrow(x + 56, y - 34, x + 96, y - 34, chip[i])
  }
}

# experts: from each chip's rows to every expert, and back
y = middle(5)
eval rows(24, y, d, n); eval name(24, d, 5, "x"); eval framed(24, y, d, n)
eval rows(356, y, d, n); eval name(356, d, 5, "x"); eval framed(356, y, d, n)
do for [i = 1:4] {
  from = y - n / 2 + (i - 0.5) * n / 4
  eval filled(172, from - 7, 44, 13, chip[i]); eval filled(220, from - 7, 13, 13, chip[i])
  do for [j = 1:4] {
    to = y - n / 2 + (j - 0.5) * n / 4
    eval line(57, from, 168, to, chip[i], 1.2)
    eval line(237, to, 350, from, chip[i], 1.2)
  }
}
eval name(172, 61, 5, "experts")
plot NaN
