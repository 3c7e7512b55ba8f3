# SPDX-License-Identifier: GPL-3.0-or-later
# Rules of CF 1.11 and UGRID 1.0 that our files must keep, checked on the output of `ncdump -h`.
# Prints a line for each that is broken.
function broken(words) { print file ": " words; bad = 1 }
function needs(owner, attribute, names,    i, n, part) {
    n = split(names, part, /[ ]+/)
    for (i = 1; i <= n; i++) if (!(part[i] in variable)) broken(owner ":" attribute " names " part[i] ", which is not there")
}
/^dimensions:/ {part_of = "dimensions"; next}
/^variables:/ {part_of = "variables"; next}
/^\/\/ global/ {part_of = "global"; next}
part_of == "variables" && /^\t[a-z]+ [A-Za-z_0-9]+(\([^)]*\))? ;/ {
    name = $2; sub(/\(.*/, "", name)
    dims = ""
    if (match($0, /\(.*\)/)) dims = substr($0, RSTART + 1, RLENGTH - 2)
    gsub(/ /, "", dims)
    variable[name] = dims; type[name] = $1
    if (name !~ /^[A-Za-z][A-Za-z0-9_]*$/) broken(name " is not a name that CF allows")
    next
}
/^\t\t[A-Za-z_0-9]*:[A-Za-z_0-9]+ = / {
    owner = $1; sub(/:.*/, "", owner)
    key = $1; sub(/.*:/, "", key)
    value = $0; sub(/^[^=]*= /, "", value); sub(/ ;$/, "", value); gsub(/"/, "", value)
    attribute[owner ":" key] = value
}
END {
    if (attribute[":Conventions"] !~ /^CF-1\.[0-9]+/) broken("no Conventions")
    meshes = 0
    for (name in variable) {
        role = attribute[name ":cf_role"]
        if (role == "mesh_topology") {
            meshes++
            needs(name, "node_coordinates", attribute[name ":node_coordinates"])
            needs(name, "face_node_connectivity", attribute[name ":face_node_connectivity"])
            if (attribute[name ":topology_dimension"] != "2") broken(name " has no topology_dimension")
            continue
        }
        if ((name ":grid_mapping_name") in attribute || name == "crs") continue
        if (!((name ":units") in attribute)) broken(name " has no units")
        if (!((name ":long_name") in attribute) && !((name ":standard_name") in attribute)) broken(name " has no long_name")
        if ((name ":coordinates") in attribute) needs(name, "coordinates", attribute[name ":coordinates"])
        if ((name ":grid_mapping") in attribute) needs(name, "grid_mapping", attribute[name ":grid_mapping"])
        if ((name ":mesh") in attribute) needs(name, "mesh", attribute[name ":mesh"])
        if (((name ":flag_values") in attribute) != ((name ":flag_meanings") in attribute)) broken(name " has flags without meanings or meanings without flags")
        if ((name ":flag_values") in attribute &&
            split(attribute[name ":flag_values"], v, ",") != split(attribute[name ":flag_meanings"], w, " ")) broken(name " has not as many meanings as flags")
        if (attribute[name ":units"] ~ / since / && attribute[name ":standard_name"] != "time") broken(name " is a time without its standard_name")
        # Rows before columns, time before both.
        if (dims_of = variable[name]) {
            t = index("," dims_of ",", ",time,"); y = index("," dims_of ",", ",y,"); x = index("," dims_of ",", ",x,")
            if (x && y && y > x || t && y && t > y) broken(name "(" dims_of ") is not in the order T, Y, X")
        }
    }
    if ((attribute[":Conventions"] ~ /UGRID/) != (meshes > 0)) broken("UGRID is declared without a mesh, or a mesh without UGRID")
    exit bad
}
