// SPDX-License-Identifier: Apache-2.0
// EmberSM: fuzz target: option files as emberc reads them. What is compiled, the switch must
// accept, and it must arrive as it was. The first octet of the input says which file it is.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <vector>

#include "config/blob/option_files.h"
#include "config/blob/payload.h"
#include "config/emberc/opensm_conf.h"
#include "config/emberc/option_files/contents.h"
#include "config/emberc/option_files/contents_report.h"
#include "config/emberc/option_files/contents_writer.h"
#include "config/emberc/payload_writer.h"

namespace {

using namespace ember;  // NOLINT: a fuzz target is a program of its own.

/// The file that `kind`, a letter, stands for.
emberc::OptionContents Parse(char kind, std::string_view text, emberc::Diagnostics& diagnostics) {
    emberc::OptionContents contents;
    switch (kind) {
        case 'r':
            contents.roots = emberc::ParseGuidSet(text, diagnostics);
            break;
        case 'i':
            contents.ids = emberc::ParseIdsGuidFile(text, diagnostics);
            break;
        case 'n':
            contents.compute_nodes = emberc::ParseGuidSet(text, diagnostics);
            contents.io_nodes = emberc::ParseIoGuidFile(text, diagnostics,
                                                        {.compute_nodes = *contents.compute_nodes});
            break;
        case 'o':
            contents.routing_order = emberc::ParseGuidList(text, diagnostics);
            break;
        case 'w':
            contents.hop_weights = emberc::ParseHopWeightsFile(text, diagnostics);
            break;
        case 'y':
            contents.m_keys = emberc::ParseGuid2MKeyFile(text, diagnostics);
            break;
        case 'u':
            contents.port_lids = emberc::ParseGuid2LidFile(text, diagnostics, {.lmc = 2});
            break;
        case 'h':
            contents.neighbors = emberc::ParseNeighborsFile(text, diagnostics);
            break;
        case 'g':
            contents.ignored = emberc::ParseSwitchPorts(text, diagnostics);
            break;
        case 's':
            contents.search = emberc::ParsePortSearchOrderingFile(text, diagnostics);
            break;
        case 'l':
            contents.lfts = emberc::ParseLftsFile(text, diagnostics);
            break;
        case 'p':
            contents.prefix_routes =
                emberc::ParsePrefixRoutesFile(text, diagnostics, {.prefix = 0xFEC0000000000001});
            break;
        case 'm':
            contents.node_names = emberc::ParseNodeNameMap(text, diagnostics);
            break;
        case 'd':
            contents.registrations =
                emberc::ParseSaDbFile(text, diagnostics, {.prefix = 0xFE80000000000000, .lmc = 1});
            break;
        case 't':
            contents.partitions =
                emberc::ParsePartitionsFile(text, diagnostics, {.both_p_keys = true});
            break;
        case 'q':
            contents.qos_policy = emberc::ParseQosPolicyFile(text, diagnostics, {});
            break;
        case 'x':
            contents.torus = emberc::ParseTorusConfig(text, diagnostics, {});
            break;
        case 'k':
            contents.port_groups = emberc::ParsePgrpPolicyFile(text, diagnostics, {});
            break;
        case 'b':  // Rules for groups need a policy with such.
            contents.qos_policy = emberc::ParseQosPolicyFile(
                "port-groups\nport-group\nname: hosts\nnode-type: CA\nend-port-group\n"
                "port-group\nname: Two Words\nnode-type: ROUTER\nend-port-group\n"
                "end-port-groups\nqos-ulps\ndefault: 0\nend-qos-ulps\n",
                diagnostics, {});
            contents.bandwidths = emberc::ParseEnhancedQosPolicyFile(
                text, diagnostics, {.port_groups = contents.qos_policy->groups});
            break;
        case 'z':
            contents.topologies = emberc::ParseTopoPolicyFile(text, diagnostics, {});
            break;
        case 'c':  // Steps need topologies.
            contents.topologies = emberc::ParseTopoPolicyFile(
                "topology\nid: 1\nsw-grp: ALL\nhca-grp: ALL\nend-topology\n"
                "topology\nid: 5\nsw-grp: ALL_SWITCHES\nhca-grp: ALL_CAS\nend-topology\n",
                diagnostics, {});
            contents.chain = emberc::ParseRchPolicyFile(
                text, diagnostics, {.lmc = 2, .topologies = &*contents.topologies});
            break;
        default:
            contents.matrix = emberc::ParseLidMatrixDumpFile(text, diagnostics);
            break;
    }
    return contents;
}

struct alignas(64) Grain {
    std::array<std::byte, 64> octets;
};

void RequireTheSwitchTakes(const emberc::OptionContents& contents) {
    static const std::vector<emberc::Value> kValues = [] {
        std::vector<emberc::Value> values;
        for (const emberc::Setting& setting : emberc::DefaultConf()) {
            values.push_back(setting.value);
        }
        return values;
    }();
    const std::vector<std::byte> payload = emberc::WritePayload(kValues, contents);
    std::vector<Grain> buffer(payload.size() / sizeof(Grain) + 1);
    std::vector<Grain> room(OptionRoomBytesFor(payload.size()) / sizeof(Grain));
    const auto octets = std::as_writable_bytes(std::span(buffer));
    std::copy(payload.begin(), payload.end(), octets.begin());
    Settings settings;
    const PayloadReport report =
        ReadPayload(octets.first(payload.size()),
                    OptionRoom{std::as_writable_bytes(std::span(room)), true}, settings);
    if (!report.accepted()) std::abort();
    if (emberc::ReadContents(payload) != contents) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const std::string text(data + 1, data + size);
    emberc::Diagnostics diagnostics("fuzz");
    const emberc::OptionContents contents = Parse(static_cast<char>(data[0]), text, diagnostics);
    (void)RenderText(diagnostics);
    if (diagnostics.CountOf(emberc::Severity::kError) > 0) return 0;
    (void)emberc::ContentsAsText(contents, true);
    RequireTheSwitchTakes(contents);
    return 0;
}
