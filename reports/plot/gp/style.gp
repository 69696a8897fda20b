# What all pictures share. Set before: W, H (pixels), NAME (prefix of ids), OUT, C_fg and the other colours of palette.h.
set encoding utf8
set decimalsign '.'
set datafile separator whitespace
set datafile missing 'NaN'
# noenhanced: block_size_x keeps its underscores; dynamic: the page decides how wide it is shown
set terminal svg size W,H dynamic noenhanced rounded name NAME font 'system-ui,sans-serif,13' linewidth 1
set output OUT
unset mouse
unset title
set border 3 lc rgb C_mut lw 1
set tics nomirror out scale 0.5,0.25 textcolor rgb C_mut
set grid noxtics ytics back lc rgb C_grid lw 1 dt 1
set key top left horizontal Left reverse samplen 1.2 width -3 maxrows 1 textcolor rgb C_fg noautotitle noenhanced
set style fill solid 1 noborder
# lightness rises steadily from dark blue to yellow: readable with any colour vision and in grey print
set palette defined (0 '#440154', 0.13 '#472d7b', 0.25 '#3b528b', 0.38 '#2c728e', 0.5 '#21918c', \
                     0.63 '#28ae80', 0.75 '#5ec962', 0.88 '#addc30', 1 '#fde725')
# An element without rows would be an error: it is iterated over no times.
some(rows) = rows > 0
