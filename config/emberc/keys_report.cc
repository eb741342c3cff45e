// SPDX-License-Identifier: Apache-2.0
// EmberSM: the table of keys, for people.
#include <algorithm>
#include <array>
#include <fmt/args.h>
#include <fmt/format.h>
#include <string>

#include "config/emberc/engine_readers.h"
#include "config/emberc/keys.h"
#include "config/emberc/value_text.h"
#include "config/keys/table.h"

namespace ember::emberc {
namespace {

/// {own_keys} and {per_sl} stand for counts, the name of an option for the engines that read it.
constexpr std::string_view kFront = R"(# Configuration: every key of opensm.conf

This page is made from the table in `config/keys` by `emberc keys --markdown`; a test compares them.

`emberc` reads the `opensm.conf` of OpenSM 3.3.23 and 3.3.24, some of NVIDIA's additions to it, and {own_keys} keys of EmberSM's own,
and makes a signed blob of it that a switch can trust (`man emberc`). `docs/examples/opensm.conf` is a file to begin with.

**How a file is read.** A line is a key, blanks, and its value. `#` begins a comment anywhere, even inside quotes. One pair of
quotes around a value is taken off. `(null)` unsets a text or a list. Numbers are decimal, hexadecimal with `0x`, or octal with
`0`. Booleans are `TRUE` and `FALSE`; `true yes on 1 y enabled` and their opposites are read too, in small letters or capitals.
A line has at most 1023 characters. If a key is set twice, the last one counts, with a warning; only the {per_sl} keys
`cc_ca_cong_setting_ccti_timer`, `_ccti_increase`, `_trigger_threshold` and `_ccti_min` take a line for each service level.

**What OpenSM lets pass and emberc does not.** An unknown key, a value out of range, a word that is neither true nor false, a
value with something behind it, an unknown routing engine, or one that this release does not have: each is an error with its
place, and no blob is written. So are keys that contradict each other: a lease that ends before the next sweep renews it,
`no_partition_enforcement` beside another `part_enforce`, `use_original_extended_sa_rates_only` beside a higher `max_rate_enum`,
`lmc` above 0 when ftree is the only engine (but for `order balanced`), an `m_key` beside an `sa_key` of 1. An engine that is listed twice is an error too.

**Slips of the pen.** Each is told once and named, and taken with a warning where nothing is at stake: `key = value` and `key: value`, a comma
or semicolon behind the last number or word, a non-breaking space (U+00A0) for a blank, typographic quotes and dashes for plain ones, in all files;
in policies a `=` for the colon, a qualifier that differs in one letter or in capitals. `# emberc: allow CODE` in a comment line allows the
warnings of a code in that file, `--allow CODE` in all; `--deny CODE` makes errors of them (`man emberc`).

**LIDs of before.** `guid2lid_file` names OpenSM's `guid2lid`, so that no LID moves on the day of the change, not even of a host that is off.
It counts in the first sweep as master. What is newer than the file ranks above it: the store, and a LID that a device of the subnet has, its
own or another's. The log tells how many LIDs of the file are given, and names the first that are not. A LID of two ports, a port with two
ranges, and a range that does not fit `lmc` are errors.

**Keys of the management.** `sa_key` and `sm_key` are 1 unless set, as with OpenSM, and every host knows that: emberc warns
of it where the file guards something else: an `m_key`, `sm_peers`, or the other of the two keys. `sa_key` 0 trusts nobody. `sm_peers` lists the port GUIDs where subnet
managers may be, apart by commas or blanks, our own included where several share a file: no other is counted, heard, or told `sm_key`.

**Option files.** The files of the options below are read by `emberc`, and what they say goes into the blob. A name that does not begin
with `/` counts from the folder of the `opensm.conf` (OpenSM: from its working directory). `#` begins a comment. GUIDs and numbers are
decimal, hexadecimal with `0x`, or octal with `0`; ports are 1..254. The same entry twice draws a warning; one that contradicts another,
or a line that cannot be read, is an error. A file whose engine is not in `routing_engine` is carried all the same, with a note; if it is away or has mistakes, it is left out.

| option | a line | read by |
| --- | --- | --- |
| `root_guid_file` | node GUID of a switch; node or port GUID of a host, for the switches that it hangs on, but under `order opensm` | {root_guid_file} |
| `ids_guid_file` | node GUID of a switch, its number | {ids_guid_file} |
| `cn_guid_file`, `io_guid_file` | port GUID; a port in both counts as a compute node | {cn_guid_file}; under `order balanced` as below |
| `guid_routing_order_file` | port GUID, in the order of routing | {guid_routing_order_file} |
| `hop_weights_file` | node GUID of a switch, port, weight 1..255 | {hop_weights_file} |
| `port_prof_ignore_file` | node GUID of a switch, port | {port_prof_ignore_file}; under `order balanced` as below |
| `port_search_ordering_file` | node GUID of a switch, its ports | {port_search_ordering_file} |
| `lfts_file` | as `opensm-lfts.dump` and ibroute: `Unicast lids ... guid 0x...`, then `0x<LID> <port>` | {lfts_file} |
| `lid_matrix_dump_file` | as `opensm-lid-matrix.dump`: `Switch: guid 0x...`, then `0x<LID>: <hops by port>` | {lid_matrix_dump_file} |
| `torus_config` | as `torus-2QoS.conf`: `torus` or `mesh` and three radices, `xp_link` and the like with two node GUIDs, `x_dateline`, `next_seed`, `portgroup_max_ports`, `port_order`; a word behind these draws a warning, and so does `max_changes` | {torus_config} |
| `sa_db_file` | as `opensm-sa.dump`: `MC Group ...` and `mcm_port: ...` of its members, `GUIDInfo Record: ...`, `Service Record: ...`, `InformInfo Record: ...` | subnet administration |
| `prefix_routes_file` | prefix of GIDs or `*`, port GUID of a router or `*` for the first; the first line that fits counts | subnet administration |
| `edge_ports` | node GUID of a switch, port | what is believed of the fabric |
| `guid2mkey_file` | as OpenSM's guid2mkey: port GUID, M_Key | M_Keys |
| `guid2lid_file` | as OpenSM's guid2lid: port GUID, first LID, last LID | LIDs, at the start |
| `neighbors_file` | as OpenSM's neighbors: `0x<port GUID>:<port> 0x<port GUID>:<port>` | M_Keys |
| `enhanced_qos_policy_file` | sections `BW_NAMES`, `BW_RULES` and `VPORT_BW_RULES`, see below | devices that take limits of bandwidth |
| `pgrp_policy_file` | paragraphs `port-group` ... `end-port-group`, see below | rules of `enhanced_qos_policy_file`, topologies |
| `topo_policy_file` | paragraphs `topology` ... `end-topology`, see below | steps of `rch_policy_file` |
| `rch_policy_file` | paragraphs `unicast-step` ... `end-unicast-step`, see below | chain |
| `node_name_map_name` | node GUID, name in quotation marks, of 64 octets of UTF-8 at most; `#` begins a comment at the front of a line only | logs, status, plans |

**Hosts in turn.** Under `order balanced` minhop, updn, dnup, dor, file, ftree and auto balance the traffic of all hosts. The compute
nodes of a switch get their exits first, those of `io_guid_file` next, all others last: each of the three has all equal exits evenly.
Compute nodes are those of `cn_guid_file`, without it all but those of `io_guid_file`. The traffic of a host on a port that
`port_prof_ignore_file` names is not balanced: it is reached as its switch is. Where that file leaves no host, it counts for nothing.

**Limits of bandwidth.** `enhanced_qos_policy_file` has three sections, each a word alone in a line, in any order. `BW_NAMES`:
`name = rate`, in Mbit/s; 0 is no limit. `BW_RULES`: `whom = SL:name, SL:name ...`, where *whom* is a port GUID, a port group of
`pgrp_policy_file` or else of `qos_policy_file`, one of those that are there without being defined (`ALL_CAS` and the like), or `default`, and *SL* is 0..15, `SL0`..`SL15`, or `all` for those that the rule does not name. `VPORT_BW_RULES`: the same
for virtual ports by GUID, or `default`. A port has the rule for its GUID, else that of the first group in the file that it is in. An SL
that this rule does not name, and a port without one, has what the `default` of the section says, else no limit. The default rules are not
for port 0 of a switch. Virtual port 0 is the interface of the port GUID; while `enhanced_qos_vport0_unlimit_default_rl` is TRUE the
default rule of `VPORT_BW_RULES` is not for it. The other virtual ports are the alias GUIDs of a port. The file is looked at where `qos` is on. It counts on a board whose devices take limits (`docs/porting.md`); any other
refuses the configuration as a whole, which `emberc check` and `compile` tell beforehand with `--board NAME --port umad|mailbox|sim`.

**Port groups.** `pgrp_policy_file` has a paragraph for each group, from a line `port-group` to a line `end-port-group`, with lines
`qualifier: value`; a colon stands nowhere else, but before the port of an expression. `name` must be there, `use` may say what the group
is for, and at least one rule says which ports are in it; several rules add up.

| rule | ports |
| --- | --- |
| `port-guid: 0x283@5-8/12, 0x286` | port GUIDs, each with ports of its node or with all of them; a switch has the GUID of its port 0 |
| `port-guid-range: 0x283-0x289` | all ports of the GUIDs of one range |
| `port-name: hostname=a; port=2; hca_idx=1, hostname=b` | of CAs whose NodeDescription is the hostname, or begins with it and a blank; `hca_idx` is the number behind `HCA-` |
| `port-regexp: SW.*:3` | of nodes whose NodeDescription an expression of RE2 matches from its front on (`$` holds its end), of one port where a number stands behind `:` |
| `union-rule: a, b` | of both groups |
| `subtract-rule: a, b` | of group a that are not in group b |

`ALL`, `ALL_SWITCHES`, `ALL_CAS` and `ALL_ROUTERS` are there without being defined. Groups may be defined behind those that name them. A
group may be defined again by a rule that names itself, which is what it was before; all others have the last definition. An expression
becomes a table in the blob that a switch walks, of 1024 states at most; a larger one is an error that names it. Names are compared in
ASCII: a character that is not printable is a question mark, and a quotation mark an apostrophe.

**Routing chains.** Parts of a fabric are routed by engines of their own. `topo_policy_file` has a paragraph for each part, from a line
`topology` to a line `end-topology`, with `id: 1` (any number but 0, which is the whole fabric), `sw-grp: NAME`, the port group of its
switches and of the ports of them that it uses, and `hca-grp: NAME`, that of its hosts and routers. `rch_policy_file` has a paragraph for
each step, from a line `unicast-step` to a line `end-unicast-step`:

| line | meaning |
| --- | --- |
| `id: 2` | its number, not 0; steps run in ascending order |
| `engine: ftree` | minhop, updn, dnup, dor, ftree, pqft, sssp, auto or nue; with `chain_lanes TRUE` also torus-2QoS, dfsssp or lash |
| `topology: 1` | its part; without the line the whole fabric |
| `path-bit: 1` | the LID of each port that a later step routes, from its base LID on; without the line the base LID; `lmc` says how many there are |
| `fallback-to: 3` | it takes the place of step 3 if that fails or the whole is refused; for a step that is not there, or is a fallback itself, it is ignored, with a warning |
| `config: FILE` | options of this step; see below |
| `use: text` | nothing |

The step with the lowest id is for the whole fabric, as are its fallbacks, and routes all LIDs. A later step writes the routes to its
hosts and switches on its switches over those before, as far as its part leads from the one to the other. The result is proved as a
whole; if it is refused, the last step that has another fallback takes it. When no step has one left the routing is refused like any
other: the tables in force stay if they still are proved, else the safe routing is taken. `routing_engine` is not asked, and may say
`chain`. A board takes as many steps as its limits say: 16 on linux_bench, sim_small and switch_max, 8 on switch_small and switch_large, 4 on
switch_medium (`emberc check --board NAME`). `file` is an error.

Steps share one virtual lane. Two that are free of credit loops by themselves may close one together. Under `order balanced` the steps
then have lanes of their own, which log, plan and status say (`chain-lanes-laid`). Under `order opensm`, or where lanes are lacking, the
verdict names the loop, and a fallback is tried. With `chain_lanes TRUE` two switches that both have end ports in the part of a step have a lane, or several, that no
other step has; of several such steps the last one counts. Paths from one part to another have lanes of their own too. Whatever is mixed,
no credit loop is possible, and engines may be steps whose routes need several lanes: torus-2QoS, dfsssp and lash give the tables, and
the lanes are those of the chain, so that torus-2QoS has one level of service. Under `order opensm` it needs `qos TRUE`. Where the board or a link has fewer
lanes than that takes, the chain is refused with the reason and the link.

The file of `config` is written as opensm.conf is. It may set `connect_roots`, `max_reverse_hops`, `quasi_ftree_indexing`,
`port_profile_switch_nodes`, `port_shifting`, `scatter_ports`, `guid_routing_order_no_scatter`, `do_mesh_analysis` and
`nue_include_switches`, and name option files of its own: `root_guid_file`, `ids_guid_file`, `cn_guid_file`, `io_guid_file`,
`guid_routing_order_file`, `hop_weights_file`, `port_prof_ignore_file`, `port_search_ordering_file` and `torus_config`. Their names count
from the folder of the main file, and all of them end in the one blob. What it leaves out is as in the main file; `(null)` is no file,
whatever the main file names. `qos` and all keys that begin so, `lmc` and `routing_engine` are errors there. Other keys that routes depend
on are errors where they differ from the main file, with the reason: `order` gives out LIDs too, the lanes of a chain are made for all of
its steps together, and no step is routed by `file`.

A board without an LFT arena for later steps makes their tables in its scratch memory, so that a later step has no more than so many
switches (`emberc boards`: 192 on switch_medium, 160 on switch_large, 512 on switch_max). One that has more fails with that reason, and its
fallback takes its place; `emberc plan --board` says beforehand how many the steps have. Such a board makes a chain anew after every
change, and dumps no files by step.

**Acts.** `yes`: EmberSM does what the key says. The others are carried in the blob and have no effect yet. At its default such a
key is passed over in silence; set to anything else it is

* `refused`, an error, where the fabric would be another without it: congestion control;
* `warned` about, where something is missing that a site may rely on, as the performance manager;
* `noted`, where no packet goes another way: EmberSM does it in its own way, as with console and daemon, or goes without, as with a
  largest size of the log.

`emberc check --allow KEY`, and `compile` likewise, makes a note of an error or a warning, so that `--strict` stops at the others only.
*Beside a key* stands what OpenSM looks at only if that other key is set: to allow the other is to allow it too, and where the other is
not set it is taken one step milder. `emberc show` and
`emberc keys` tell the same.

**Files.** A key that stands in the configuration *names* its file, whatever the name, also the default one as `opensm -c` writes it
down: if the file is not there, that is an error, and `--no-default-files` does not drop it. `(null)` names none. `check`, `compile`, `plan`,
`plan diff` and `explain` read alike. Not opened, as by OpenSM, is a file of a default name for engines that are not listed
(`torus_config`), or for `qos` that is off; a note tells so. A file that another names is a regular one of at most 64 MiB; `lfts_file` and
`lid_matrix_dump_file` may have 4 GiB.

**Isolation.** No port gets into a partition by a guess: each mistake in `partition_config_file` is an error.
`--without-partitions` leaves the file out, and every host may talk with every other; a note tells so. The last line of `check` and
`compile`, `verify`, `show` and `emberctl status` say `8 partitions`, or `NO partitions`.

**Default files.** Where no line names them, `partitions.conf`, `prefix-routes.conf`, `ib-node-name-map`, `qos-policy.conf` (with `qos TRUE`)
and `torus-2QoS.conf` (where that engine is listed) are looked for in `/etc/opensm`, as OpenSM does it. They go into the blob if they are
there, and a note tells so. `--no-default-files` leaves them alone, as a build for another host wants it. A name that is the default of
an OpenSM that was built for another folder, as `/etc/rdma/partitions.conf`, counts as the default too.

**Keys of NVIDIA's subnet manager** that are not in the tables below, as `virt_enabled`, `ar_mode` or `hm_*`, are errors that say whose
they are; `--allow KEY` leaves the line out.

**Rereads.** `yes`: OpenSM takes a changed value while it runs; `-`: at the next start.
EmberSM takes a new blob over while it runs, on SIGHUP and `emberctl reload`, with every key that it acts on: it is in force from the
heavy sweep which that starts; where only partitions differ, they are at once, without a sweep. But for `guid`, the port it sits on, and
what is only asked at its first sweep (`reassign_lids`, `sm_inactive`). A blob that is refused, or older than the one before, changes nothing; `emberctl status` and the log say why.

**Where EmberSM's default is not OpenSM's.** `max_wire_smps` is 32, because 4 leave the wire idle; `max_wire_smps2` follows
`max_wire_smps`. A file that `opensm -c` has written says 4 for both: take the two lines out to get the speed. emberc notes it.
`sminfo_polling_timeout` is unset, so that a dead master is noticed after some 4 s, or 0.6 s where both have one `replication_key`; what
is written counts, and OpenSM's 10000 is 40 to 50 s: take that line out too.
)";

/// A count as prose has it.
std::string InWords(std::size_t count) {
    static constexpr std::array<std::string_view, 21> kWords = {
        "no",       "one",     "two",     "three",     "four",     "five",     "six",
        "seven",    "eight",   "nine",    "ten",       "eleven",   "twelve",   "thirteen",
        "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty"};
    return count < kWords.size() ? std::string(kWords[count]) : std::to_string(count);
}

std::size_t CountOf(FieldKind kind) {
    return static_cast<std::size_t>(std::count_if(
        Keys().begin(), Keys().end(), [kind](const Key& key) { return key.kind == kind; }));
}

std::string ActsCell(const Key& key) {
    if (key.beside.empty()) return std::string(NameOf(key.use));
    return fmt::format("{}, beside `{}`", NameOf(key.use), key.beside);
}

/// A bar would end the cell.
std::string Cell(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (c == '|') out += '\\';
        out += c;
    }
    return out;
}

/// The text before the tables.
std::string Front() {
    fmt::dynamic_format_arg_store<fmt::format_context> blanks;
    blanks.push_back(fmt::arg("own_keys", InWords(kKeySections.back().keys.size())));
    blanks.push_back(fmt::arg("per_sl", InWords(CountOf(FieldKind::kPerSl))));
    for (const std::string_view option : OptionsOfEngines()) {
        blanks.push_back(
            fmt::arg(std::string(option).c_str(), WordsOf(ReadersOf(option, Order::kOpensm))));
    }
    return fmt::vformat(kFront, blanks);
}

}  // namespace

std::string_view NameOf(Class part) {
    static constexpr std::array<std::string_view, 8> kWords = {
        "core", "routing", "qos", "sa", "security", "perf", "logging", "vendor"};
    static_assert(kWords.size() == static_cast<std::size_t>(Class::kVendor) + 1);
    return kWords[static_cast<std::size_t>(part)];
}

std::string_view NameOf(Use use) {
    static constexpr std::array<std::string_view, 4> kWords = {"yes", "refused", "warned", "noted"};
    static_assert(kWords.size() == static_cast<std::size_t>(Use::kNoted) + 1);
    return kWords[static_cast<std::size_t>(use)];
}

std::string RangeOf(std::size_t key) {
    const SettingField& field = Keys()[key];
    switch (field.kind) {
        case FieldKind::kBool:
            return "TRUE or FALSE";
        case FieldKind::kChoice:
            return fmt::format("{}", fmt::join(ChoicesOf(field), ", "));
        case FieldKind::kText:
            if (field.range.min != 0) return fmt::format("{} characters", DescribeRange(field));
            return "text";
        case FieldKind::kEngines:
            return "engines";
        case FieldKind::kMask256:
            return "mask of 256 bits";
        case FieldKind::kPerSl:
            return fmt::format("SL 0..15, then 0..{}", field.range.max);
        case FieldKind::kShiftMultiplier:
            return "shift 0..3 : multiplier 0..16383";
        case FieldKind::kShiftMultipliers:
            return "shift:multiplier, ...";
        case FieldKind::kVlWeights:
            return "up to 64 of VL 0..14 : weight 0..255";
        case FieldKind::kSlToVl:
            return "16 VLs, each 0..15";
        case FieldKind::kGuids:
            return fmt::format("up to {} GUIDs", field.range.max);
        case FieldKind::kU8:
        case FieldKind::kU16:
        case FieldKind::kU32:
        case FieldKind::kU64:
        case FieldKind::kI32:
            return DescribeRange(field);
    }
    return "";
}

std::string KeysAsMarkdown() {
    std::string out = Front();
    std::size_t at = 0;
    for (const KeySection& section : kKeySections) {
        out += fmt::format(
            "\n## {}\n\n| key | value | default | acts | rereads | class | "
            "meaning |\n| --- | --- | --- | --- | --- | --- | --- |\n",
            section.heading);
        for (const Key& key : section.keys) {
            out += fmt::format("| `{}` | {} | `{}` | {} | {} | {} | {} |\n", key.name,
                               Cell(RangeOf(at++)), key.default_text, ActsCell(key),
                               key.update == Update::kReread ? "yes" : "-", NameOf(key.part),
                               Cell(key.meaning));
        }
    }
    out += "\n## Old names\n\n| old | now |\n| --- | --- |\n";
    for (const Alias& alias : Aliases()) {
        out += fmt::format("| `{}` | `{}` |\n", alias.name, alias.key);
    }
    return out;
}

std::string KeysAsText() {
    std::size_t width = 0;
    for (const Key& key : Keys()) {
        width = std::max(width, key.name.size());
    }
    std::string out;
    for (std::size_t i = 0; i < Keys().size(); ++i) {
        const Key& key = Keys()[i];
        out += fmt::format(
            "{:{}}  {} ({}; default {}{})\n", key.name, width, key.meaning, RangeOf(i),
            key.default_text,
            key.use == Use::kActedOn ? "" : fmt::format("; no effect, {}", NameOf(key.use)));
    }
    return out;
}

}  // namespace ember::emberc
