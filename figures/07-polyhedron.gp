# title: The iterations of a sweep, and which must come before which: as written down, and skewed
# needs: polyhedron polyhedron_kept polyhedron_turned polyhedron_skewed polyhedron_skewed_kept polyhedron_skewed_turned
# shows: polyhedron polyhedron_skewed
# Above, the loops as they are written down; below, each row is moved to the right by two for each row above it.
height = 584
load "style.gp"
file(name) = tables."/".name.".tsv"
array names[2] = ["polyhedron", "polyhedron_skewed"]
array titles[2] = ["row i, over column j", "row i, over wavefront w = j + 2 i"]
array tops[2] = [36, 364]
array bottoms[2] = [274, 526]
stats file(names[2]) using 1 name "fronts" nooutput
stats file(names[1]) using 1 name "columns" nooutput
stats file(names[1]) using 2 name "rows" nooutput
short = 0.16  # of an arrow, at either end, so that the dots stay free

set multiplot
right_edge = width - 26
eval key("an exchange of the loops keeps this order", 0, green)
eval key("turns it round", 0, purple)
do for [panel = 1:2] {
  top_edge = tops[panel]; bottom_edge = bottoms[panel]
  y_title = titles[panel]
  load "frame.gp"
  from_x = panel == 1 ? columns_min : fronts_min
  to_x = panel == 1 ? columns_max : fronts_max
  eval x_range(from_x - 0.6, to_x + 0.6)
  eval y_range(rows_max + 0.6, rows_min - 0.6)
  set xtics 0,1
  set ytics 0,1
  set xlabel panel == 1 ? "column j" : "wavefront w" offset 0,0.9 textcolor rgb quiet
  # Two points make an arrow: the first is kept until the second is there.
  plot for [kind in "kept turned"] file(names[panel]."_".kind) \
         using (int($0) % 2 == 0 ? (x = $1, y = $2, NaN) : x + short * ($1 - x)):(y + short * ($2 - y)): \
               ((1 - 2 * short) * ($1 - x)):((1 - 2 * short) * ($2 - y)) \
         with vectors head size graph 0.018,20 filled linewidth 1.8 \
         dashtype panel == 2 || kind eq "kept" ? measured_dash : long_dash \
         linecolor rgb panel == 2 || kind eq "kept" ? green : purple, \
       file(names[panel]) using 1:2 with points pointtype circle pointsize 0.8 linecolor rgb ink
  unset label
}
unset multiplot
