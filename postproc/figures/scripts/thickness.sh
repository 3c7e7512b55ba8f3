{{#}} Tall maps stand in a row with the colours below; wide ones lie two over one, with the colours in
{{#}} the corner that is left.
{{+begin}}
{{+region}}
right={{right}} down={{down}}  # cm from panel to panel
{{+shade}}
$gmt grdmath -fc ../deposit.tif DUP ../lod.tif GT 0 NAN MUL = "$scratch/surveyed.grd"
$gmt grdmath -fc ../thickness.tif DUP ../lod.tif GT 0 NAN MUL = "$scratch/simulated.grd"
$gmt grdmath -fc "$scratch/simulated.grd" 0 DENAN "$scratch/surveyed.grd" 0 DENAN SUB DUP 0 NEQ 0 NAN MUL = "$scratch/difference.grd"
{{+rim}}
{{+style}}
$gmt grdimage "$scratch/shade.grd" -R$region -JX$size -C"$scratch/shade.cpt"
$gmt grdimage "$scratch/surveyed.grd" -Cthickness.cpt -Q
rim {{frame_a}}
echo 'a  Surveyed' | $gmt text -F+f11p,Helvetica-Bold,black+cTL -Dj5p/6p -Gwhite -C3p/3p -t10
$gmt plot -T -X${right}c
$gmt grdimage "$scratch/shade.grd" -R$region -JX$size -C"$scratch/shade.cpt"
$gmt grdimage "$scratch/simulated.grd" -Cthickness.cpt -Q
rim wSne
echo 'b  Simulated' | $gmt text -F+f11p,Helvetica-Bold,black+cTL -Dj5p/6p -Gwhite -C3p/3p -t10
{{?in_row}}$gmt plot -T -X${right}c
{{!in_row}}$gmt plot -T -X-${right}c -Y-${down}c
$gmt grdimage "$scratch/shade.grd" -R$region -JX$size -C"$scratch/shade.cpt"
$gmt grdimage "$scratch/difference.grd" -Cdifference.cpt -Q
rim {{frame_c}}
echo 'c  Simulated \255 surveyed' | $gmt text -F+f11p,Helvetica-Bold,black+cTL -Dj5p/6p -Gwhite -C3p/3p -t10
$gmt plot surveyed.txt -W1p,black
$gmt colorbar -Cthickness.cpt -Dx{{colours_a}}+w{{colours_length}}c/0.35c+h+ef -Baf+l"Thickness (m)"
$gmt colorbar -Cdifference.cpt -Dx{{colours_c}}+w{{colours_length}}c/0.35c+h+e -Baf+l"Difference (m)"
{{+end}}
