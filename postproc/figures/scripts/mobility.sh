{{+begin}}
low={{low}} high={{high}}  # m3
awk -v a=$low -v b=$high 'BEGIN {for (i=0; i<=100; i++) {v=exp(log(a)+(log(b)-log(a))*i/100); l=log(v)/log(10); print v, 10^(0.62419-0.15666*l), 10^(0.210-0.109*l)}}' > "$scratch/lines.txt"
{{+style}}
$gmt basemap -R$low/$high/0.08/4 -JX12cl/9cl -BWSne -Bxa1pg1+l"Volume of the source (m@+3@+)" -Bya2fg2+l"Fall height / runout, H/L (1)"
$gmt plot "$scratch/lines.txt" -i0,1 -W1.6p,gray25
$gmt plot "$scratch/lines.txt" -i0,2 -W1.6p,gray25,6_3
{{?range_surveyed}}printf '%s\n' {{range_surveyed}} | $gmt plot -W1.2p,0/114/178
{{?point_surveyed}}echo '{{point_surveyed}}' | $gmt plot -Sc0.42c -G0/114/178 -W0.8p,white
{{?range_simulated}}printf '%s\n' {{range_simulated}} | $gmt plot -W1.2p,213/94/0
{{?point_simulated}}echo '{{point_simulated}}' | $gmt plot -St0.42c -G213/94/0 -W0.8p,white
cat > "$scratch/legend.txt" <<'END'
S 0.5c - 0.8c - 1.6p,gray25 1.2c Scheidegger 1973
S 0.5c - 0.8c - 1.6p,gray25,6_3 1.2c Corominas 1996, rockfalls
{{?surveyed}}S 0.5c c 0.36c 0/114/178 0.8p,white 1.2c Surveyed
S 0.5c t 0.36c 213/94/0 0.8p,white 1.2c Simulated
END
$gmt legend "$scratch/legend.txt" -DjTR+w6c+o0.2c -F+gwhite --FONT_ANNOT_PRIMARY=10p
{{+end}}
