{{+begin}}
{{+region}}
{{+shade}}
{{+rim}}
{{+style}}
$gmt grdimage "$scratch/shade.grd" -R$region -JX$size -C"$scratch/shade.cpt"
$gmt grdmath -fc ../thickness.tif DUP {{least_thickness}} GT 0 NAN MUL = "$scratch/thick.grd"
$gmt grdimage "$scratch/thick.grd" -Cthickness.cpt -Q
$gmt plot source.txt -W1.4p,black,6_3
$gmt plot simulated.txt -W1.5p,213/94/0
{{?surveyed}}$gmt plot surveyed.txt -W2.2p,0/114/178
{{?line}}$gmt plot flow_line.txt -W1.6p,black,.
{{?toe_surveyed}}echo {{toe_surveyed}} | $gmt plot -St0.42c -G0/114/178 -W0.8p,white
{{?toe_simulated}}echo {{toe_simulated}} | $gmt plot -St0.42c -G213/94/0 -W0.8p,white
rim WSne
{{#}} A scale bar and an arrow of our own: GMT's want a geographic projection.
echo {{bar_box}} | $gmt plot -Sr{{bar_box_width}}c/0.95c -Gwhite
printf '%s\n' '{{bar_begin}}' '{{bar_end}}' | $gmt plot -W3p,black
echo '{{bar_middle}} {{bar_length}} m' | $gmt text -F+f10p,Helvetica-Bold,black+jBC -Dj0/3p
echo {{north}} | $gmt plot -Sr1.1c/1.75c -Gwhite
echo {{north}} 90 0.9c | $gmt plot -Sv0.42c+e+jc -W2.2p,black -Gblack -D0/-0.3c
echo '{{north}} N' | $gmt text -F+f12p,Helvetica-Bold,black+jBC -D0/0.28c
cat > "$scratch/legend.txt" <<'END'
{{!tall}}N 2
{{?surveyed}}S 0.5c - 0.8c - 2.2p,0/114/178 1.2c Surveyed deposit
S 0.5c - 0.8c - 1.5p,213/94/0 1.2c Simulated deposit
S 0.5c - 0.8c - 1.4p,black,6_3 1.2c Source
{{?line}}S 0.5c - 0.8c - 1.6p,black,. 1.2c Flow line and toes
END
{{?tall}}$gmt legend "$scratch/legend.txt" -DJTR+w4.6c+jTL+o0.3c/0c --FONT_ANNOT_PRIMARY=10p
{{?tall}}$gmt colorbar -Cthickness.cpt -DJBR+w7c/0.32c+jBL+o0.6c/0.2c+ef -Baf+l"Simulated thickness (m)"
{{!tall}}$gmt legend "$scratch/legend.txt" -DJBL+w8.4c+jTL+o0/1.35c --FONT_ANNOT_PRIMARY=10p
{{!tall}}$gmt colorbar -Cthickness.cpt -DJBR+w6c/0.32c+h+jTR+o0.2c/1.5c+ef -Baf+l"Simulated thickness (m)"
echo '{{crs}}' | $gmt text -R0/1/0/1 -JX$size -N -F+f9p,Helvetica,gray30+cTL+jBL -Dj0/6p
{{#}} Where on Earth, in a corner without rock; coastlines are a package of their own (gmt-gshhg-low).
{{?longitude}}$gmt inset begin -Dj{{inset}}+w2.3c+o0.25c
{{?longitude}}if $gmt coast -Rg -JG{{longitude}}/{{latitude}}/? -Dc -A20000 -Ggray65 -Swhite -Bg30 --MAP_GRID_PEN_PRIMARY=0.2p,gray80 2> "$scratch/coast.log"; then
{{?longitude}}    echo {{longitude}} {{latitude}} | $gmt plot -Sa0.35c -G213/94/0 -W0.4p,black
{{?longitude}}fi
{{?longitude}}$gmt inset end
{{+end}}
