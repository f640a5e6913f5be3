# The position of the plot, from its edges in units of the figure: left_edge, right_edge, top_edge, bottom_edge. And y_title,
# the name of the values, above the axis, where readers need not turn their heads.
set lmargin at screen left_edge / (width + 0.0)
set rmargin at screen right_edge / (width + 0.0)
set tmargin at screen 1 - top_edge / (height + 0.0)
set bmargin at screen 1 - bottom_edge / (height + 0.0)
title_height = 1 - (top_edge - 24.0) / height  # clear of a number at the top
set label y_title at screen 2.0 / width,screen title_height textcolor rgb quiet
