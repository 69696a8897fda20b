# What all pictures share. Set before: W, H (pixels), NAME (prefix of ids), OUT, C_fg and the other colours of palette.h.
set encoding utf8
set decimalsign '.'
set minussign
set micro
set datafile separator whitespace
set datafile missing 'NaN'
# noenhanced: block_size_x keeps its underscores; dynamic: the page decides how wide it is shown
set terminal svg size W,H dynamic noenhanced rounded name NAME font 'system-ui,sans-serif,13' linewidth 1
set output OUT
unset mouse
unset title
set border 3 lc rgb C_mut lw 1
set tics nomirror out scale 0.5,0.25 textcolor rgb C_mut
set xtics offset 0,0.4
unset mxtics; unset mytics; unset mcbtics
set rmargin 4
set xlabel textcolor rgb C_fg offset 0,0.3
set ylabel textcolor rgb C_fg
set cblabel textcolor rgb C_fg
set grid noxtics ytics back lc rgb C_grid lw 1 dt 1
set key tmargin left horizontal Left reverse samplen 1.2 width -3 textcolor rgb C_fg noautotitle noenhanced
set style fill solid 1 noborder
# Text over data: the foreground with a rim of the page's colour, which the cleaning of the SVG puts in.
C_over = '#0c0001'
# Many points are vectors of hardly any length with round ends, DOT(x) long: a third of the bytes of symbols. One of them is a
# symbol, for the key.
