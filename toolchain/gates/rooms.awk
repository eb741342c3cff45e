# SPDX-License-Identifier: Apache-2.0
# EmberSM: the include rule. A file includes its own room and the rooms below it, never above;
# inside core the same from base up to subnet_manager, and the working rooms do not see each other.
# Usage: cd ROOT && awk -f rooms.awk FILE...   (paths relative to the root; exit 1 on a violation)

BEGIN {
    split("core engines config platform board", rooms, " ")
    for (i in rooms) rank[rooms[i]] = i
    # Equal ranks are strangers to each other, except inside one folder.
    order["base"] = 1; order["log"] = 2; order["wire"] = 3
    order["platform.h"] = 4; order["settings.h"] = 4
    order["fabric"] = 5; order["graph"] = 6; order["exchange"] = 7
    split("discovery assignment routing multicast programming role administration", working, " ")
    for (i in working) order[working[i]] = 8
    top = 9  # subnet_manager and what is composed with it at the top of core/
    split("algorithm array bit concepts cstddef cstdint cstring initializer_list limits new span " \
          "string_view tuple type_traits utility", headers, " ")
    for (i in headers) allowed[headers[i]] = 1
}

function complain(text) {
    printf "%s:%d: %s\n", FILENAME, FNR, text
    bad = 1
}

function core_place(path,   part, n) {
    n = split(path, part, "/")
    if (n == 2) return (part[2] in order) ? part[2] : "top"
    return part[2]
}

function core_rank(place) {
    if (place == "top") return top
    return (place in order) ? order[place] : 0
}

function firmware(path) {
    return path ~ /^(core|engines|board)\// || path ~ /^config\/blob\// ||
           path ~ /^platform\/flash\// || path ~ /^platform\/local\/[^\/]*$/
}

/^[ \t]*#[ \t]*include[ \t]*"/ {
    match($0, /"[^"]*"/)
    name = substr($0, RSTART + 1, RLENGTH - 2)
    split(name, to, "/")
    split(FILENAME, from, "/")
    if (from[1] == "tests") next
    if (!(to[1] in rank)) { complain("\"" name "\" is not written from the repository root"); next }
    if (rank[to[1]] > rank[from[1]]) {
        complain(from[1] "/ may not include \"" name "\": " to[1] "/ is above it")
        next
    }
    if (FILENAME ~ /^config\/blob\// && name ~ /^config\/emberc\//) {
        complain("config/blob runs on the switch and may not include \"" name "\"")
    }
    if (from[1] == "core") {
        here = core_place(FILENAME); there = core_place(name)
        if (core_rank(here) == 0) { complain("core/" here " has no place in rooms.awk"); next }
        if (core_rank(there) == 0) { complain("core/" there " has no place in rooms.awk"); next }
        if (here == there) next
        if (core_rank(there) > core_rank(here))
            complain("core/" here " may not include \"" name "\": it is above")
        else if (core_rank(there) == core_rank(here) && core_rank(here) == 8)
            complain("core/" here " may not look inside core/" there " (\"" name "\")")
    }
    # Only a board and the tests name a particular platform.
    if (from[1] == "config" && to[1] == "platform") complain("config/ may not know a platform")
}

/^[ \t]*#[ \t]*include[ \t]*</ {
    match($0, /<[^>]*>/)
    name = substr($0, RSTART + 1, RLENGTH - 2)
    # Beside the PSA API each line of Mbed TLS has other headers.
    if (name ~ /^(mbedtls|tf-psa-crypto)\//) complain("<" name "> is not of the PSA API: <psa/crypto.h>")
    if (!firmware(FILENAME) || name in allowed) next
    if (FILENAME ~ /^config\/blob\// && name ~ /^(psa|flatbuffers)\//) next
    complain("<" name "> is not among the headers that firmware may use (STYLE: language)")
}

END { exit bad }
