{{+begin}}
read -r west east low high <<END
$(awk '!/^#/ {if (n++ == 0) {w=$1; lo=1e30; hi=-1e30}; e=$1; for (i=2; i<=NF; i++) if ($i != "NaN") {if ($i+0<lo) lo=$i+0; if ($i+0>hi) hi=$i+0}} END {d=hi-lo; print w, e, lo-0.08*d, hi+0.08*d}' profile.txt)
END
most=$($gmt gmtinfo mass.txt -C | awk '{m=$4>$6?$4:$6; print (m>0?1.12*m:1)}')
{{+style}}
$gmt basemap -R$west/$east/$low/$high -JX16c/7.5c -BWsne -Bxafg -Byafg+l"Height (m)"
$gmt plot profile.txt -i0,1 -W1.6p,gray25
$gmt plot profile.txt -i0,2 -W1p,gray55,4_2
{{?surveyed}}$gmt plot profile.txt -i0,3 -W2p,0/114/178
$gmt plot profile.txt -i0,4 -W1.6p,213/94/0
{{?fall_surveyed}}printf '%s\n' '0 {{crown}}' '{{fall_surveyed}}' | $gmt plot -W1p,0/114/178,4_3
{{?fall_surveyed}}echo '{{fall_surveyed}}' | $gmt plot -St0.3c -G0/114/178 -Wwhite
{{?fall_surveyed}}echo '{{fall_surveyed}} {{angle_surveyed}}@.' | $gmt text -F+f10p,Helvetica-Bold,0/114/178+j{{place_surveyed}} -Dj5p/7p
{{?fall_simulated}}printf '%s\n' '0 {{crown}}' '{{fall_simulated}}' | $gmt plot -W1p,213/94/0,4_3
{{?fall_simulated}}echo '{{fall_simulated}}' | $gmt plot -St0.3c -G213/94/0 -Wwhite
{{?fall_simulated}}echo '{{fall_simulated}} {{angle_simulated}}@.' | $gmt text -F+f10p,Helvetica-Bold,213/94/0+j{{place_simulated}} -Dj5p/7p
cat > "$scratch/legend.txt" <<'END'
S 0.5c - 0.8c - 1.6p,gray25 1.2c Bed
S 0.5c - 0.8c - 1p,gray55,4_2 1.2c Before
{{?surveyed}}S 0.5c - 0.8c - 2p,0/114/178 1.2c After
S 0.5c - 0.8c - 1.6p,213/94/0 1.2c Simulated
S 0.5c - 0.8c - 1p,gray25,4_3 1.2c Fahrb\366schung
END
$gmt legend "$scratch/legend.txt" -DjTR+w4.3c+o0.2c -F+gwhite --FONT_ANNOT_PRIMARY=10p
$gmt basemap -R$west/$east/0/$most -JX16c/4c -BWSne -Bxafg+l"Distance along the flow line from the crown (m)" -Byafg+l"Volume per m (m@+3@+/m)" -Y-4.5c
{{?surveyed}}$gmt plot mass.txt -i0,1 -L+yb -G196/222/240
{{?surveyed}}$gmt plot mass.txt -i0,1 -W1.8p,0/114/178
$gmt plot mass.txt -i0,2 -W2p,213/94/0
{{+end}}
