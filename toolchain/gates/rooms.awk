# SPDX-License-Identifier: Apache-2.0
# EmberSM: the include rule. A file includes its own room and the rooms below it, never above;
# inside core a room sees the ground below it and the subjects that its line names.
# A room of many folders may have floors of its own: see floors().
# Usage: cd ROOT && awk -f rooms.awk FILE...   (paths relative to the root; exit 1 on a violation)

BEGIN {
    split("core engines config platform board", rooms, " ")
    for (i in rooms) rank[rooms[i]] = i
    # Core is cut by subject. What it stands on is seen by every room above it.
    ground("base | log wire | settings platform.h | fabric")
    # Each other room sees the subjects that its line names, which have their lines before it.
    sees("exchange", "")
    sees("links", "")
    sees("lids", "")
    sees("graph", "links")
    sees("role", "exchange")
    sees("m_keys", "exchange")
    sees("port_tables", "exchange")
    sees("aliases", "port_tables")
    sees("partitions", "port_tables exchange")
    sees("lanes", "port_tables links graph exchange")
    sees("port_groups", "partitions")
    sees("ports", "lanes links")
    sees("discovery", "links m_keys exchange")
    sees("programming", "port_tables graph exchange")
    sees("bandwidth", "port_groups partitions aliases port_tables exchange")
    sees("routing", "lanes port_groups graph")
    sees("multicast", "routing lanes partitions port_tables graph exchange")
    sees("administration", "multicast lanes port_groups partitions aliases graph exchange")
    sees("journal", "administration multicast port_tables role")
    sees("replication", "journal administration role discovery partitions m_keys lids links exchange")
    # What composes them.
    sees("manager", "replication journal administration multicast routing bandwidth programming " \
         "discovery ports lanes partitions aliases port_tables m_keys role lids links graph exchange")
    floors("core/administration", "query | policy | transactions records paths registrations | " \
           "reports explain | .")
    # Contracts, what engines are made of, engines, what is made of these.
    floors("engines", "exit_finder.* engine_options.* | spread balance lanes mender.* | " \
           "spreading_engine.* | up_down file lash sssp torus min_hop.* dor.* . | auto fat_tree nue pqft | catalogue.* report")
    floors("config", "schema netlist | explain keys | blob | emberc")
    floors("config/keys", "field.* | key.* | . | table.*")
    floors("config/netlist", "cursor.* netlist.* random.* tame.* | fabric_builder.* link_word.* | " \
           "netlist_parser.* topologies.* | cuts.* topology_names.*")
    floors("config/blob", "base64.* container.* crypto_pool.* engine_words.* fields.* lane_keys.* option_rules.* " \
           "trial_guard.* | crypto_session.* bandwidth_rows.* chain_rows.* partition_rows.* plain_rows.* port_group_policy_rows.* qos_rows.* torus_rows.* | option_rows.* | option_tables.* public_key.* trial_record.* | option_files.* signature.* | " \
           "message_codes.* payload.* | blob_reader.* | load_configuration.*")
    # Words, values, settings, what settings are held to, commands.
    floors("config/emberc", "opensm_options_table.* suggestion.* | diagnostic_codes.* engine_readers.* files.* foreign_keys.* | " \
           "diagnostics.* key_pair.* | blob_file.* keys.* raw_text.* say.* value.* | numbers.* | value_text.* | " \
           "conf.* keys_report.* lists.* | checks.* | option_files | check_routing.* check_together.* keys_without_effect.* | " \
           "check_lanes.* | opensm_conf.* payload_writer.* | check_board.* step_files.* | configuration.* | commands.* | " \
           "opensm_options.* plan show.* | .")
    floors("config/emberc/option_files", "line_reader.* name_expression_parser.* | name_automaton.* name_characters.* | " \
           "torus_fabric.* partition_words.* loaded_chain.* loaded_port_groups.* loaded_qos_policy.* step_options.* | " \
           "partition_conf.* torus_seeds.* | contents.* partition_groups.* partition_table.* | " \
           "contents_layout.* dump_lines.* | sa_records.* | .")
    # What asks nothing of a machine, drivers, machines. Then what the kernel gives, the parts of a
    # program, the socket for them, the loop, programs.
    floors("platform", "common | flash local sim umad | bare linux")
    floors("platform/local", ". | linux")
    floors("platform/linux", "system | configuration dump log store views | control | process | " \
           "emberctl embersm")
    split("algorithm array bit concepts cstddef cstdint cstring initializer_list limits new span " \
          "string_view tuple type_traits utility", headers, " ")
    for (i in headers) allowed[headers[i]] = 1
}

# The rooms that core stands on, from the lowest floor up; those of one floor are strangers.
function ground(order,   floor, room, i, j, n, m) {
    n = split(order, floor, / *[|] */)
    for (i = 1; i <= n; ++i) {
        m = split(floor[i], room, " ")
        for (j = 1; j <= m; ++j) ground_of[room[j]] = i
    }
}

# So no circle can be told.
function sees(room, subjects,   i, n, subject) {
    n = split(subjects, subject, " ")
    for (i = 1; i <= n; ++i) {
        if (!(subject[i] in is_subject)) complain("rooms.awk: " room " sees " subject[i] ", which has no line before it")
        seen[room, subject[i]] = 1
    }
    is_subject[room] = 1
}

# The folders of a room, from the lowest floor up; folders of one floor are strangers. A file beside
# the folders has the floor of its name, or of "name.*", if one is told, else that of ".".
function floors(room, order,   floor, folder, i, j, n, m) {
    ordered[room] = 1
    n = split(order, floor, / *[|] */)
    for (i = 1; i <= n; ++i) {
        m = split(floor[i], folder, " ")
        for (j = 1; j <= m; ++j) floor_of[room, folder[j]] = i
    }
}

function place_in(room, path,   part, n, stem) {
    n = split(substr(path, length(room) + 2), part, "/")
    if (n > 1 || (room, part[1]) in floor_of) return part[1]
    stem = part[1]
    sub(/[a-z]+$/, "*", stem)
    return (room, stem) in floor_of ? stem : "."
}

# An include inside one room that has floors.
function look_inside(room, name,   here, there, floor, other) {
    here = place_in(room, FILENAME); there = place_in(room, name)
    if (here == there) return
    floor = floor_of[room, here]; other = floor_of[room, there]
    if (!floor) complain(room "/" here " has no floor in rooms.awk")
    else if (!other) complain(room "/" there " has no floor in rooms.awk")
    else if (other > floor) complain(room "/" here " may not include \"" name "\": it is above")
    else if (other == floor) complain(room "/" here " may not look inside " room "/" there " (\"" name "\")")
}

function complain(text) {
    printf "%s:%d: %s\n", FILENAME, FNR, text
    bad = 1
}

function core_place(path,   part) {
    split(path, part, "/")
    return part[2]
}

# An include from one room of core in another.
function look_over(here, there, name) {
    if (!(here in ground_of) && !(here in is_subject)) {
        complain("core/" here " has no place in rooms.awk")
    } else if (!(there in ground_of) && !(there in is_subject)) {
        complain("core/" there " has no place in rooms.awk")
    } else if (here in ground_of) {
        if (!(there in ground_of) || ground_of[there] > ground_of[here])
            complain("core/" here " may not include \"" name "\": it is above")
        else if (ground_of[there] == ground_of[here])
            complain("core/" here " may not look inside core/" there " (\"" name "\")")
    } else if (!(there in ground_of) && !((here, there) in seen)) {
        complain("core/" here " does not see core/" there " (\"" name "\")")
    }
}

function firmware(path) {
    return path ~ /^(core|engines|board)\// || path ~ /^config\/(blob|keys)\// ||
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
    for (room in ordered) {
        if (index(FILENAME, room "/") == 1 && index(name, room "/") == 1) look_inside(room, name)
    }
    if (from[1] == "core") {
        here = core_place(FILENAME); there = core_place(name)
        if (here != there) look_over(here, there, name)
    }
    if (from[1] == "engines" && name == "core/settings/settings.h")
        complain("an engine reads \"core/settings/engine_options.h\", not all settings")
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

# Other headers may bring the type along.
FILENAME ~ /^engines\// && /(^|[^A-Za-z_])Settings([^A-Za-z_]|$)/ {
    complain("an engine reads EngineOptions, not Settings")
}

END { exit bad }
