# title: The matmul ladder on a GPU: each rung's speed, as a share of cuBLAS's
# needs: quoted_sgemm_ladder quoted_bf16_ladder
# shows: sgemm_ladder quoted_sgemm_ladder bf16_ladder quoted_bf16_ladder
# A row for each idea, what others reached beside what this GPU did, where the record has it. Rungs between are in the table.
height = 464
load "style.gp"
load tables."/values.gp"
array ids[2] = ["sgemm", "bf16"]
quoted(panel) = tables."/quoted_".ids[panel]."_ladder.tsv"
present(panel) = exists("have_".ids[panel]."_ladder")
# Another GPU's fp32 is drawn in place of this one's, not beside it.
beside(panel) = panel == 2 || !present(panel)
array titles[2] = ["fp32, N = 4096, % of cuBLAS".(beside(1) ? "; quoted: on an A6000" : ""), \
                   "bf16, N = 8192, % of cuBLAS; quoted: on an H100"]
# One that the record lacks is drawn from the quoted one, with every point undefined.
measured(panel) = present(panel) ? tables."/".ids[panel]."_ladder.tsv" : quoted(panel)

# The ideas, a row for each, and which of them each rung adds (0: none that has a row), for not everyone climbs by the same steps.
array names_1[6] = ["naive", "coalesced", "shared tile", "register tile", "warp tile", "register ports"]
array names_2[7] = ["no tensor cores", "through registers", "early copies", "copy engine", "ring of buffers", "blocks that stay", \
                    "all steps"]
array ours_1[7] = [1, 2, 3, 4, 0, 5, 6]
array ours_2[6] = [2, 3, 4, 5, 6, 7]
array quoted_1[8] = [1, 2, 3, 0, 4, 0, 0, 5]
array quoted_2[8] = [1, 4, 5, 0, 0, 0, 7, 0]
# Nobody's WMMA, early copies or staying blocks are quoted: they have rows where this GPU climbed them. Records from before
# November 28, 2026 end at the warp tile in fp32, and have four rungs in bf16.
array quoted_rows[7] = [1, 0, 0, 2, 3, 0, 4]
array ours_2_of_4[4] = [2, 4, 5, 7]
array rows_of_4[7] = [1, 2, 0, 3, 4, 0, 5]
array climbed[2] = [0, 0]
do for [panel = 1:2] {
  if (present(panel)) {
    stats measured(panel) using 1 name "rungs" nooutput
    climbed[panel] = int(rungs_max)
  }
}
array ideas[2] = [climbed[1] > 6 ? 6 : 5, 7]
array rows[2] = [ideas[1], climbed[2] == 0 ? 4 : climbed[2] == 4 ? 5 : 7]
row_2(idea) = climbed[2] == 0 ? quoted_rows[idea] : climbed[2] == 4 ? rows_of_4[idea] : idea
row_of(panel, idea) = idea == 0 ? NaN : (row = panel == 1 ? idea : row_2(idea), row ? -row : NaN)
name(panel, idea) = panel == 1 ? names_1[idea] : names_2[idea]
row_of_ours(panel, rung) = !present(panel) ? NaN : \
  row_of(panel, panel == 1 ? ours_1[int(rung)] : climbed[2] == 4 ? ours_2_of_4[int(rung)] : ours_2[int(rung)])
row_of_theirs(panel, rung) = row_of(panel, panel == 1 ? quoted_1[int(rung)] : quoted_2[int(rung)])

left_edge = 176; right_edge = width - 10
numbers_x = 114  # a column of numbers, to the right of the marks
set grid xtics noytics
set multiplot
do for [panel = 1:2] {
  set autoscale xy
  # The quoted bf16 ladder is in TFLOP/s, and its last point is cuBLAS's own speed.
  stats quoted(panel) using 1:2 name "theirs" nooutput
  stats quoted(panel) using (only($1 == theirs_max_x, $2)) name "library" nooutput
  full = panel == 1 ? 100 : library_max
  last = panel == 1 ? theirs_max_x : theirs_max_x - 1
  top_edge = panel == 1 ? 36 : 262
  bottom_edge = top_edge + (panel == 1 ? 142 : 162)
  y_title = titles[panel]
  unset label
  unset arrow
  load "frame.gp"
  eval key("quoted", quoted_point, grey)
  if (present(panel)) {
    eval key("measured", measured_point, blue)
  }
  set xrange [0:130]
  set xtics 0,25,100
  eval y_range(-rows[panel] - 0.6, -0.4)
  unset ytics
  do for [idea = 1:ideas[panel]] {
    if (row_of(panel, idea) == row_of(panel, idea)) {  # not NaN
      set label name(panel, idea) at graph -0.03,first row_of(panel, idea) right textcolor rgb ink
    }
  }
  set arrow from 100,-rows[panel] - 0.6 to 100,-0.4 nohead linewidth 2.4 linecolor rgb quiet
  set for [row = 1:rows[panel]] arrow from 0,-row to 100,-row nohead linewidth 0.8 linecolor rgb grid
  plot quoted(panel) using (only($1 <= last && beside(panel), $2 / full * 100)):(row_of_theirs(panel, $1)) with points \
         pointtype quoted_point pointsize 0.9 linecolor rgb grey, \
       measured(panel) using (only(present(panel), $3)):(row_of_ours(panel, $1)):(only(present(panel), $4 - $3)):(0) \
         with vectors nohead linewidth 5 linecolor rgb blue, \
       measured(panel) using (only(present(panel), $2)):(row_of_ours(panel, $1)) with points \
         pointtype measured_point pointsize 0.9 linecolor rgb blue, \
       quoted(panel) using (only($1 <= last && !present(panel), numbers_x)):(row_of_theirs(panel, $1)): \
         (digits($2 / full * 100)) with labels left textcolor rgb quiet, \
       measured(panel) using (only(present(panel), numbers_x)):(row_of_ours(panel, $1)):(digits($2)) \
         with labels left textcolor rgb blue
}
unset multiplot
