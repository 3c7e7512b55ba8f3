{{+begin}}
low={{low}} high={{high}}  # m
{{+style}}
$gmt basemap -R$low/$high/0/100 -JX12c{{log}}/9c -BWSne -Bx{{ticks}}+l"Block size, cube root of the volume (m)" -Bya20f10g20+l"Smaller (%)"
{{?wanted}}$gmt plot sizes_wanted.txt -W2.4p,gray30,1_3
$gmt plot sizes.txt -i0,1 -W2p,0/114/178
$gmt plot sizes.txt -i0,2 -W1.8p,213/94/0,6_3
cat > "$scratch/legend.txt" <<'END'
S 0.5c - 0.8c - 2p,0/114/178 1.2c Made, by volume
S 0.5c - 0.8c - 1.8p,213/94/0,6_3 1.2c Made, by number
{{?wanted}}S 0.5c - 0.8c - 2.4p,gray30,1_3 1.2c Wanted, {{wanted}}
END
$gmt legend "$scratch/legend.txt" -DjTL+w4.8c+o0.2c -F+gwhite --FONT_ANNOT_PRIMARY=10p
{{+end}}
