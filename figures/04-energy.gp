# title: Where the energy of one multiplication goes
# needs: energy_mac energy_sram energy_dram
# shows: energy_mac energy_registers energy_hops energy_sram energy_dram
# A bar for each way to compute the same product.
block = 66; top = 38
load tables."/values.gp"
array parts[5] = ["energy_mac", "energy_registers", "energy_hops", "energy_sram", "energy_dram"]
array names[5] = ["arithmetic", "registers", "neighbours", "SRAM", "DRAM"]
mac = tables."/energy_mac.tsv"
height = top + 5 * block
load "style.gp"
array colours[5] = [compute, green, grey, purple, memory]
array labels[5]
stats mac using (labels[$1 + 1] = strcol(5), $2) name "mac" nooutput
array energy[25]
do for [i = 1:25] { energy[i] = 0 }
do for [part = 1:5] {
  if (exists("have_".parts[part])) {
    stats tables."/".parts[part].".tsv" using (energy[$1 * 5 + part] = $2) nooutput
  }
}
one = energy[1]  # the arithmetic of a multiplication and an addition, the same for every bar
do for [i = 1:25] { energy[i] = energy[i] / one }
before(bar, part) = part == 1 ? 0 : sum [p = 1:part - 1] energy[(bar - 1) * 5 + p]
total(bar) = before(bar, 5) + energy[(bar - 1) * 5 + 5]
longest = 0
do for [bar = 1:5] { longest = total(bar) > longest ? total(bar) : longest }

left_edge = 2; right_edge = width - 2
set lmargin at screen left_edge / (width + 0.0)
set rmargin at screen right_edge / (width + 0.0)
set tmargin at screen 1
set bmargin at screen 0
eval x_range(0, longest)
set yrange [height:0]  # in the figure's own units, downwards
unset xtics
unset ytics
unset grid
units(pixels) = pixels * x_max / (right_edge - left_edge)

set label "energy, over that of the arithmetic alone" at 0,20 textcolor rgb quiet
do for [part = 1:5] { eval key(names[part], square, colours[part]) }
# A name is written on a bar if it fits; letters are 9 units wide.
fits(text, wide) = units(9.2 * strlen(text) + 12) < wide
do for [bar = 1:5] {
  y = top + (bar - 1) * block
  set label labels[bar] at 0,y + 14 textcolor rgb ink
  set label sprintf("%s times", digits(total(bar))) at x_max,y + 14 right textcolor rgb ink
  do for [part = 1:5] {
    from = before(bar, part)
    wide = energy[(bar - 1) * 5 + part]
    if (wide > 0) {
      set object rectangle from from,y + 28 to from + wide,y + 54 fillcolor rgb colours[part] fillstyle solid 1 noborder
      told = fits(names[part]." ".digits(wide), wide) ? names[part]." ".digits(wide) : fits(digits(wide), wide) ? digits(wide) : ""
      if (strlen(told) > 0) { set label told at from + wide / 2,y + 41 center textcolor rgb paper }
    }
  }
}
plot NaN
