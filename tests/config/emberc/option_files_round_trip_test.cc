// SPDX-License-Identifier: Apache-2.0
// EmberSM: properties: what an option file says arrives in Settings, entry for entry.
#include <algorithm>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <map>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>
#include <set>
#include <string>

#include "config/blob/payload.h"
#include "config/emberc/option_files/contents.h"
#include "config/emberc/option_files/contents_report.h"
#include "config/emberc/option_files/contents_writer.h"
#include "tests/config/support.h"

namespace ember::test {
namespace {

using emberc::Diagnostics;
using emberc::LoadedLfts;
using emberc::LoadedMatrix;
using emberc::OptionContents;
using emberc::SearchOrder;

/// Few enough that the same one comes up in several places.
Guid AnyGuid() {
    const auto small = *rc::gen::inRange<std::uint64_t>(1, 40);
    return Guid{*rc::gen::arbitrary<bool>() ? small : ~small};
}

std::uint8_t AnyPort() {
    return *rc::gen::inRange<std::uint8_t>(1, 255);
}

std::set<Guid> AnyGuids() {
    std::set<Guid> guids;
    for (int i = *rc::gen::inRange(0, 6); i > 0; --i) {
        guids.insert(AnyGuid());
    }
    return guids;
}

/// The same in any order, apart by line ends and comments.
std::string Shuffled(std::vector<std::string> lines) {
    std::string text;
    while (!lines.empty()) {
        const auto at = *rc::gen::inRange<std::size_t>(0, lines.size());
        text += lines[at];
        text += *rc::gen::elementOf(std::vector<std::string>{"\n", "\r\n", "  # x\n", "\n\n#\n"});
        lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(at));
    }
    return text;
}

std::string Written(Guid guid) {
    return *rc::gen::arbitrary<bool>() ? fmt::format("{:#x}", Raw(guid))
                                       : fmt::format("{}", Raw(guid));
}

/// Reads a file back; nothing may be said about it.
template <typename Parse>
auto Back(const Parse& parse, const std::string& text) {
    Diagnostics diagnostics("file");
    auto contents = parse(text, diagnostics);
    if (!diagnostics.all().empty()) RC_FAIL(RenderText(diagnostics));
    return contents;
}

/// Requires that a blob made of `contents` is accepted, and shows the same contents.
void RequireRoundTrip(const OptionContents& contents) {
    const Octets payload = emberc::WritePayload(ValuesOf(emberc::DefaultConf()), contents);
    const Aligned copy(payload);
    RoomForTables room(OptionRoomBytesFor(payload.size()));
    Settings settings;
    RC_ASSERT(ReadPayload(copy.octets(), room.room(), settings).accepted());
    const auto shown = emberc::ReadContents(payload);
    RC_ASSERT(shown.has_value());
    RC_ASSERT(*shown == contents);
    (void)emberc::ContentsAsText(*shown, true);
}

RC_GTEST_PROP(OptionFilesRoundTrip, Guids, ()) {
    const std::set<Guid> guids = AnyGuids();
    std::vector<std::string> lines;
    for (const Guid guid : guids) {
        lines.push_back(Written(guid));
    }
    const std::string text = Shuffled(lines);
    OptionContents contents;
    contents.roots = Back(emberc::ParseGuidSet, text);
    contents.compute_nodes = contents.roots;
    contents.io_nodes = contents.roots;
    contents.routing_order = Back(emberc::ParseGuidList, text);
    RC_ASSERT(*contents.roots == std::vector<Guid>(guids.begin(), guids.end()));
    RC_ASSERT(std::is_permutation(contents.roots->begin(), contents.roots->end(),
                                  contents.routing_order->begin(), contents.routing_order->end()));
    RequireRoundTrip(contents);
}

/// As a subnet with one LID a port reads it.
std::vector<PortLids> WithoutLmc(std::string_view text, emberc::Diagnostics& diagnostics) {
    return emberc::ParseGuid2LidFile(text, diagnostics, {});
}

RC_GTEST_PROP(OptionFilesRoundTrip, PortsAndNumbers, ()) {
    std::map<Guid, std::uint64_t> ids;
    std::map<std::pair<Guid, std::uint8_t>, std::uint8_t> weights;
    std::map<Guid, std::vector<PortNumber>> orders;
    for (const Guid guid : AnyGuids()) {
        ids[guid] = ids.size() + 7;
        weights[{guid, AnyPort()}] = *rc::gen::inRange<std::uint8_t>(1, 255);
        weights[{guid, AnyPort()}] = 255;
        std::set<std::uint8_t> ports = {AnyPort(), AnyPort(), AnyPort()};
        for (const std::uint8_t port : ports) {
            orders[guid].push_back(PortNumber{port});
        }
        if (*rc::gen::arbitrary<bool>()) std::reverse(orders[guid].begin(), orders[guid].end());
    }
    std::vector<std::string> id_lines;
    std::vector<std::string> weight_lines;
    std::vector<std::string> ignore_lines;
    std::vector<std::string> order_lines;
    std::vector<std::string> neighbor_lines;
    std::vector<std::string> lid_lines;
    OptionContents expected;
    expected.ids.emplace();
    expected.hop_weights.emplace();
    expected.ignored.emplace();
    expected.edge_ports.emplace();
    expected.m_keys.emplace();
    expected.neighbors.emplace();
    expected.port_lids.emplace();
    expected.search.emplace();
    for (const auto& [guid, number] : ids) {
        id_lines.push_back(fmt::format("{}\t{}", Written(guid), number));
        expected.ids->push_back({guid, number});
        expected.m_keys->push_back({guid, number});
        const auto lid = static_cast<std::uint16_t>(4 * number);
        lid_lines.push_back(fmt::format("{} {:#06x} {}", Written(guid), lid, lid + number % 4));
        expected.port_lids->push_back({guid, Lid{lid}, static_cast<Lid>(lid + number % 4)});
    }
    for (const auto& [place, hops] : weights) {
        const auto& [guid, port] = place;
        weight_lines.push_back(fmt::format(" {} {} {}", Written(guid), port, hops));
        ignore_lines.push_back(fmt::format("{} {}", Written(guid), port));
        expected.hop_weights->push_back({guid, PortNumber{port}, hops});
        expected.ignored->push_back({guid, PortNumber{port}});
        expected.edge_ports->push_back({guid, PortNumber{port}});
        expected.neighbors->push_back({guid, PortNumber{port}, Guid{hops}});
        neighbor_lines.push_back(fmt::format("{}:{} {}:1", Written(guid), port, hops));
    }
    for (const auto& [guid, ports] : orders) {
        order_lines.push_back(Written(guid));
        for (const PortNumber port : ports) {
            order_lines.back() += fmt::format(" {}", Raw(port));
        }
        expected.search->push_back({guid, ports});
    }
    RC_ASSERT(Back(emberc::ParseIdsGuidFile, Shuffled(id_lines)) == *expected.ids);
    RC_ASSERT(Back(emberc::ParseGuid2MKeyFile, Shuffled(id_lines)) == *expected.m_keys);
    RC_ASSERT(Back(WithoutLmc, Shuffled(lid_lines)) == *expected.port_lids);
    RC_ASSERT(Back(emberc::ParseNeighborsFile, Shuffled(neighbor_lines)) == *expected.neighbors);
    RC_ASSERT(Back(emberc::ParseHopWeightsFile, Shuffled(weight_lines)) == *expected.hop_weights);
    RC_ASSERT(Back(emberc::ParseSwitchPorts, Shuffled(ignore_lines)) == *expected.ignored);
    RC_ASSERT(Back(emberc::ParsePortSearchOrderingFile, Shuffled(order_lines)) == *expected.search);
    RequireRoundTrip(expected);
}

RC_GTEST_PROP(OptionFilesRoundTrip, Dumps, ()) {
    OptionContents expected;
    expected.lfts.emplace();
    expected.matrix.emplace();
    std::set<std::uint16_t> lids;
    for (int i = *rc::gen::inRange(1, 6); i > 0; --i) {
        lids.insert(*rc::gen::inRange<std::uint16_t>(1, 200));
    }
    for (const std::uint16_t lid : lids) {
        expected.lfts->owners.push_back({.lid = Lid{lid}, .port_guid = AnyGuid()});
    }
    std::string lft_text;
    std::string matrix_text;
    for (const Guid guid : AnyGuids()) {
        LoadedLfts::Switch table{guid, {}};
        const std::uint8_t port_count = *rc::gen::inRange<std::uint8_t>(1, 9);
        LoadedMatrix::Switch matrix{guid, port_count, {}};
        lft_text += fmt::format("Unicast lids of switch guid {:#018x} ('x'):\n", Raw(guid));
        matrix_text += fmt::format("Switch: guid {:#018x}\n", Raw(guid));
        for (const LidOwner& owner : expected.lfts->owners) {
            const std::size_t lid = Raw(owner.lid);
            const std::uint8_t port = *rc::gen::inRange<std::uint8_t>(0, 255);
            table.ports.resize(lid + 1, 255);
            table.ports[lid] = port;
            lft_text += fmt::format("{:#06x} {:03} # CA portguid {:#018x}: 'y'\n", lid, port,
                                    Raw(owner.port_guid));
            matrix.hops.resize(lid * (port_count + 1U), 255);
            matrix_text += fmt::format("{:#06x}:", lid);
            for (int column = 0; column <= port_count; ++column) {
                matrix.hops.push_back(*rc::gen::arbitrary<std::uint8_t>());
                matrix_text += fmt::format(" {:02x}", matrix.hops.back());
            }
            matrix_text += fmt::format(" # portguid {:#018x}\n", Raw(owner.port_guid));
        }
        expected.lfts->switches.push_back(std::move(table));
        expected.matrix->switches.push_back(std::move(matrix));
    }
    if (expected.lfts->switches.empty()) expected.lfts->owners.clear();
    expected.matrix->owners = expected.lfts->owners;
    RC_ASSERT(Back(emberc::ParseLftsFile, lft_text) == *expected.lfts);
    RC_ASSERT(Back(emberc::ParseLidMatrixDumpFile, matrix_text) == *expected.matrix);
    RequireRoundTrip(expected);
}

RC_GTEST_PROP(OptionFileParsers, NeverFailOnAnyText, (const std::string& text)) {
    Diagnostics diagnostics("any");
    for (const std::string& front :
         {std::string{}, std::string("Unicast lids guid 0x1\n0x1 "),
          std::string("Switch guid 0x1\n0x1: "), std::string("MC Group 0xc001 : mgid=0xff"),
          std::string("Service Record: id=")}) {
        (void)emberc::ParseGuidList(front + text, diagnostics);
        (void)emberc::ParseIdsGuidFile(front + text, diagnostics);
        (void)emberc::ParseHopWeightsFile(front + text, diagnostics);
        (void)emberc::ParseSwitchPorts(front + text, diagnostics);
        (void)emberc::ParseGuid2MKeyFile(front + text, diagnostics);
        (void)emberc::ParseNeighborsFile(front + text, diagnostics);
        (void)emberc::ParsePortSearchOrderingFile(front + text, diagnostics);
        (void)emberc::ParseLftsFile(front + text, diagnostics);
        (void)emberc::ParseLidMatrixDumpFile(front + text, diagnostics);
        (void)emberc::ParseSaDbFile(front + text, diagnostics, {});
        (void)emberc::ParseTorusConfig("torus 3 4 5\nxp_link 1 2\nx_dateline " + text, diagnostics,
                                       {});
    }
    (void)RenderText(diagnostics);
}

}  // namespace
}  // namespace ember::test
