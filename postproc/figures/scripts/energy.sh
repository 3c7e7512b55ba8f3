{{+begin}}
unit={{joules}}  # J per {{unit}}
awk -v u=$unit '!/^#/ {print $1, $2/u, ($3+$4)/u, ($5+$6)/u, $3/u, $4/u, $5/u, $6/u}' energy.txt > "$scratch/e.txt"
read -r end most low <<END
$(awk '{t=$1; for (i=2; i<=4; i++) {if ($i>m) m=$i; if ($i<l) l=$i}} END {if (m<=0) m=1; print t, 1.08*m, (l<-0.02*m?1.08*l:-0.02*m)}' "$scratch/e.txt")
END
kinetic=$(awk '{if ($5>m) m=$5; if ($6>m) m=$6} END {print (m>0?1.12*m:1)}' "$scratch/e.txt")
{{+style}}
$gmt basemap -R0/$end/$low/$most -JX12c/6c -BWsne -Bxafg -Byafg+l"Energy ({{unit}})"
$gmt plot "$scratch/e.txt" -i0,1 -W2p,gray20
$gmt plot "$scratch/e.txt" -i0,3 -W2p,213/94/0
$gmt plot "$scratch/e.txt" -i0,6 -W1.3p,213/94/0,5_3
$gmt plot "$scratch/e.txt" -i0,7 -W1.3p,213/94/0,1_3
$gmt plot "$scratch/e.txt" -i0,2 -W2p,0/114/178
$gmt basemap -R0/$end/0/$kinetic -JX12c/3.4c -BWSne -Bxafg+l"Time (s)" -Byafg+l"Kinetic ({{unit}})" -Y-3.9c
$gmt plot "$scratch/e.txt" -i0,4 -W2p,0/114/178
$gmt plot "$scratch/e.txt" -i0,5 -W1.8p,0/158/115
cat > "$scratch/legend.txt" <<'END'
N 2
S 0.4c - 0.8c - 2p,gray20 1.1c Potential released
S 0.4c - 0.8c - 2p,213/94/0 1.1c Dissipated
S 0.4c - 0.8c - 2p,0/114/178 1.1c Kinetic, translation
S 0.4c - 0.8c - 1.3p,213/94/0,5_3 1.1c ... along the normal
S 0.4c - 0.8c - 1.8p,0/158/115 1.1c Kinetic, rotation
S 0.4c - 0.8c - 1.3p,213/94/0,1_3 1.1c ... tangentially
END
$gmt legend "$scratch/legend.txt" -DJBC+w12c+jTC+o0/1.4c --FONT_ANNOT_PRIMARY=10p
{{+end}}
