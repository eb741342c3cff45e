// SPDX-License-Identifier: Apache-2.0
// EmberSM: our reading of recorded datagrams agrees with what other programs printed beside them.
//
// Goal:   no offset of ours is checked against itself only.
// Method: OpenSM, smpquery, sminfo and ibroute were recorded while they talked to ibsim
//         (tests/interop/capture). What they printed is compared with what we read from the same
//         octets; a label that no row here knows is a failure, so nothing printed goes unchecked.

#include "tests/core/wire/golden.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <sstream>
#include <string>

#include "core/wire/guid_info.h"
#include "core/wire/linear_forwarding_table.h"
#include "core/wire/multicast_forwarding_table.h"
#include "core/wire/node_description.h"
#include "core/wire/node_info.h"
#include "core/wire/notice.h"
#include "core/wire/p_key_table.h"
#include "core/wire/port_info.h"
#include "core/wire/sl_to_vl_mapping_table.h"
#include "core/wire/sm_info.h"
#include "core/wire/smp_check.h"
#include "core/wire/switch_info.h"
#include "core/wire/vl_arbitration_table.h"

namespace ember {
namespace {

using Words = std::map<std::string, std::uint64_t>;
using Reader = std::function<std::uint64_t(const SmpData&)>;

/// A label of a tool: what we read for it, and the words it uses for numbers.
struct Label {
    Reader read;
    Words words{};
};
using Labels = std::map<std::string, Label>;

template <typename A, typename Value>
Reader From(Field<Value> field) {
    return [field](const SmpData& data) {
        return static_cast<std::uint64_t>(std::bit_cast<A>(data).Get(field));
    };
}

/// "1X or 4X" -> the sum of the words; "12" and "0x0c" -> 12.
std::uint64_t NumberOf(const std::string& text, const Words& words) {
    if (words.empty()) return std::strtoull(text.c_str(), nullptr, 0);
    std::uint64_t sum = 0;
    std::size_t start = 0;
    while (start <= text.size()) {
        const std::size_t end = std::min(text.find(" or ", start), text.size());
        const auto word = words.find(text.substr(start, end - start));
        EXPECT_NE(word, words.end()) << "the tool said \"" << text << "\"";
        if (word != words.end()) sum += word->second;
        start = end + 4;
    }
    return sum;
}

void Compare(const std::string& name, const Labels& labels) {
    SCOPED_TRACE(name);
    const Golden golden = ReadGolden(name);
    ASSERT_FALSE(golden.datagrams.empty());
    ASSERT_FALSE(golden.says.empty());
    const SmpData data = DataOf(golden.answer());
    for (const auto& [said, value] : golden.says) {
        if (said == "bit") continue;  // ThePortSaysTheCapabilitiesThatTheToolNames looks at these.
        const auto label = labels.find(said);
        ASSERT_NE(label, labels.end()) << said;
        EXPECT_EQ(label->second.read(data), NumberOf(value, label->second.words)) << said;
    }
}

const Words kStates{{"Down", 1}, {"Initialize", 2}, {"Armed", 3}, {"Active", 4}};
const Words kPhysicalStates{
    {"Sleep", 1}, {"Polling", 2}, {"Disabled", 3}, {"PortConfigurationTraining", 4}, {"LinkUp", 5}};
const Words kWidths{{"1X", 1}, {"4X", 2}, {"8X", 4}, {"12X", 8}, {"2X", 16}};
const Words kSpeeds{{"2.5 Gbps", 1}, {"5.0 Gbps", 2}, {"10.0 Gbps", 4}};
const Words kMtus{{"256", 1}, {"512", 2}, {"1024", 3}, {"2048", 4}, {"4096", 5}};
const Words kLanes{{"VL0", 1}, {"VL0-1", 2}, {"VL0-3", 3}, {"VL0-7", 4}, {"VL0-14", 5}};
const Words kExtendedSpeeds{{"No Extended Speed", 0}};

const Labels& PortLabels() {
    using P = PortInfo;
    static const Labels labels{
        {"Mkey", {From<P>(P::kMKey)}},
        {"GidPrefix", {From<P>(P::kGidPrefix)}},
        {"Lid", {From<P>(P::kLid)}},
        {"SMLid", {From<P>(P::kMasterSmLid)}},
        {"CapMask", {From<P>(P::kCapabilityMask)}},
        {"DiagCode", {From<P>(P::kDiagCode)}},
        {"MkeyLeasePeriod", {From<P>(P::kMKeyLeasePeriod)}},
        {"LocalPort", {From<P>(P::kLocalPortNum)}},
        {"LinkWidthEnabled", {From<P>(P::kLinkWidthEnabled), kWidths}},
        {"LinkWidthSupported", {From<P>(P::kLinkWidthSupported), kWidths}},
        {"LinkWidthActive", {From<P>(P::kLinkWidthActive), kWidths}},
        {"LinkSpeedSupported", {From<P>(P::kLinkSpeedSupported), kSpeeds}},
        {"LinkState", {From<P>(P::kPortState), kStates}},
        {"PhysLinkState", {From<P>(P::kPortPhysicalState), kPhysicalStates}},
        {"LinkDownDefState", {From<P>(P::kLinkDownDefaultState), kPhysicalStates}},
        {"ProtectBits", {From<P>(P::kMKeyProtectBits)}},
        {"LMC", {From<P>(P::kLmc)}},
        {"LinkSpeedActive", {From<P>(P::kLinkSpeedActive), kSpeeds}},
        {"LinkSpeedEnabled", {From<P>(P::kLinkSpeedEnabled), kSpeeds}},
        {"NeighborMTU", {From<P>(P::kNeighborMtu), kMtus}},
        {"SMSL", {From<P>(P::kMasterSmSl)}},
        {"VLCap", {From<P>(P::kVlCap), kLanes}},
        {"InitType", {From<P>(P::kInitType)}},
        {"VLHighLimit", {From<P>(P::kVlHighLimit)}},
        {"VLArbHighCap", {From<P>(P::kVlArbitrationHighCap)}},
        {"VLArbLowCap", {From<P>(P::kVlArbitrationLowCap)}},
        {"InitReply", {From<P>(P::kInitTypeReply)}},
        {"MtuCap", {From<P>(P::kMtuCap), kMtus}},
        {"VLStallCount", {From<P>(P::kVlStallCount)}},
        {"HoqLife", {From<P>(P::kHoqLife)}},
        {"OperVLs", {From<P>(P::kOperationalVls), kLanes}},
        {"PartEnforceInb", {From<P>(P::kPartitionEnforcementInbound)}},
        {"PartEnforceOutb", {From<P>(P::kPartitionEnforcementOutbound)}},
        {"FilterRawInb", {From<P>(P::kFilterRawInbound)}},
        {"FilterRawOutb", {From<P>(P::kFilterRawOutbound)}},
        {"MkeyViolations", {From<P>(P::kMKeyViolations)}},
        {"PkeyViolations", {From<P>(P::kPKeyViolations)}},
        {"QkeyViolations", {From<P>(P::kQKeyViolations)}},
        {"GuidCap", {From<P>(P::kGuidCap)}},
        {"ClientReregister", {From<P>(P::kClientReregister)}},
        {"McastPkeyTrapSuppressionEnabled", {From<P>(P::kMulticastPKeyTrapSuppressionEnabled)}},
        {"SubnetTimeout", {From<P>(P::kSubnetTimeOut)}},
        {"RespTimeVal", {From<P>(P::kRespTimeValue)}},
        {"LocalPhysErr", {From<P>(P::kLocalPhyErrors)}},
        {"OverrunErr", {From<P>(P::kOverrunErrors)}},
        {"MaxCreditHint", {From<P>(P::kMaxCreditHint)}},
        {"RoundTrip", {From<P>(P::kLinkRoundTripLatency)}},
        {"CapabilityMask2", {From<P>(P::kCapabilityMask2)}},
        {"LinkSpeedExtActive", {From<P>(P::kLinkSpeedExtActive), kExtendedSpeeds}},
        {"LinkSpeedExtSupported", {From<P>(P::kLinkSpeedExtSupported)}},
        {"LinkSpeedExtEnabled", {From<P>(P::kLinkSpeedExtEnabled)}},
    };
    return labels;
}

TEST(Golden, EverySmpThatWasReceivedPassesTheEdge) {
    ASSERT_FALSE(GoldenNames().empty());
    for (const std::string& name : GoldenNames()) {
        for (const Golden::Datagram& datagram : ReadGolden(name).datagrams) {
            if (!datagram.received) continue;
            EXPECT_EQ(CheckSmp(datagram.mad), Status::kOk) << name;
        }
    }
}

TEST(Golden, TheRequestsOfTheToolsAreTheRequestsWeMake) {
    std::size_t compared = 0;
    for (const std::string& name : GoldenNames()) {
        const Golden golden = ReadGolden(name);
        const auto theirs = std::bit_cast<DirectedSmp>(golden.datagrams.front().mad);
        if (golden.datagrams.front().received || IsResponse(theirs.header.method)) continue;
        DirectedPath path;
        path.hops = theirs.header.hop_count;
        for (std::size_t hop = 0; hop < path.hops; ++hop) {
            path.ports[hop] = theirs.initial_path[hop + 1];
        }
        const MadHeader& header = theirs.header;
        const SmpRequest request{.method = header.method,
                                 .attribute = header.attribute_id,
                                 .modifier = header.attribute_modifier,
                                 .m_key = theirs.m_key,
                                 .id = header.transaction_id,
                                 .data = theirs.data};
        const bool directed = header.mgmt_class == MgmtClass::kSubnDirected;
        const Mad ours = directed ? MakeDirected(request, path) : MakeLidRouted(request);
        using Octets = std::array<std::uint8_t, kMadOctets>;
        EXPECT_EQ(std::bit_cast<Octets>(ours), std::bit_cast<Octets>(theirs)) << name;
        ++compared;
    }
    EXPECT_GE(compared, 15U);
}

TEST(Golden, NodeInfoReadsAsSmpqueryPrintsIt) {
    using N = NodeInfo;
    const Words types{{"Channel Adapter", 1}, {"Switch", 2}, {"Router", 3}};
    const Labels labels{
        {"BaseVers", {From<N>(N::kBaseVersion)}},
        {"ClassVers", {From<N>(N::kClassVersion)}},
        {"NodeType", {From<N>(N::kNodeType), types}},
        {"NumPorts", {From<N>(N::kNumPorts)}},
        {"SystemGuid", {From<N>(N::kSystemImageGuid)}},
        {"Guid", {From<N>(N::kNodeGuid)}},
        {"PortGuid", {From<N>(N::kPortGuid)}},
        {"PartCap", {From<N>(N::kPartitionCap)}},
        {"DevId", {From<N>(N::kDeviceId)}},
        {"Revision", {From<N>(N::kRevision)}},
        {"LocalPort", {From<N>(N::kLocalPortNum)}},
        {"VendorId", {From<N>(N::kVendorId)}},
    };
    Compare("node_info_ca", labels);
    Compare("node_info_switch", labels);
}

TEST(Golden, SwitchInfoReadsAsSmpqueryPrintsIt) {
    using S = SwitchInfo;
    const Labels labels{
        {"LinearFdbCap", {From<S>(S::kLinearFdbCap)}},
        {"RandomFdbCap", {From<S>(S::kRandomFdbCap)}},
        {"McastFdbCap", {From<S>(S::kMulticastFdbCap)}},
        {"LinearFdbTop", {From<S>(S::kLinearFdbTop)}},
        {"DefPort", {From<S>(S::kDefaultPort)}},
        {"DefMcastPrimPort", {From<S>(S::kDefaultMulticastPrimaryPort)}},
        {"DefMcastNotPrimPort", {From<S>(S::kDefaultMulticastNotPrimaryPort)}},
        {"LifeTime", {From<S>(S::kLifeTimeValue)}},
        {"StateChange", {From<S>(S::kPortStateChange)}},
        {"OptSLtoVLMapping", {From<S>(S::kOptimizedSlToVlMappingProgramming)}},
        {"LidsPerPort", {From<S>(S::kLidsPerPort)}},
        {"PartEnforceCap", {From<S>(S::kPartitionEnforcementCap)}},
        {"InboundPartEnf", {From<S>(S::kInboundEnforcementCap)}},
        {"OutboundPartEnf", {From<S>(S::kOutboundEnforcementCap)}},
        {"FilterRawInbound", {From<S>(S::kFilterRawInboundCap)}},
        {"FilterRawOutbound", {From<S>(S::kFilterRawOutboundCap)}},
        {"EnhancedPort0", {From<S>(S::kEnhancedPort0)}},
        {"MulticastFDBTop", {From<S>(S::kMulticastFdbTop)}},
    };
    Compare("switch_info", labels);
}

TEST(Golden, PortInfoReadsAsSmpqueryPrintsIt) {
    for (const char* name :
         {"port_info_ca", "port_info_lid", "port_info_switch", "port_info_switch_down",
          "port_info_switch_host", "port_info_switch_port0"}) {
        Compare(name, PortLabels());
    }
}

TEST(Golden, ThePortSaysTheCapabilitiesThatTheToolNames) {
    namespace first = capability_mask;
    namespace second = capability_mask2;
    const Words bits{{"IsSM", first::kIsSm},
                     {"IsTrapSupported", first::kIsTrapSupported},
                     {"IsSLMappingSupported", first::kIsSlMappingSupported},
                     {"IsExtendedSpeedsSupported", first::kIsExtendedSpeedsSupported},
                     {"IsCapabilityMask2Supported", first::kIsCapabilityMask2Supported},
                     {"IsVendorClassSupported", first::kIsVendorClassSupported},
                     {"IsCapabilityMaskNoticeSupported", first::kIsCapabilityMaskNoticeSupported}};
    const Words bits2{{"IsLinkWidth2xSupported", second::kIsLinkWidth2xSupported},
                      {"IsLinkSpeedHDRSupported", second::kIsLinkSpeedHdrSupported}};
    for (const char* name : {"port_info_ca", "port_info_lid", "port_info_switch_port0"}) {
        const Golden golden = ReadGolden(name);
        std::uint64_t mask = 0;
        std::uint64_t mask2 = 0;
        for (const auto& [said, value] : golden.says) {
            if (said != "bit") continue;
            EXPECT_TRUE(bits.contains(value) || bits2.contains(value)) << value;
            if (bits.contains(value)) mask |= bits.at(value);
            if (bits2.contains(value)) mask2 |= bits2.at(value);
        }
        const auto info = std::bit_cast<PortInfo>(DataOf(golden.answer()));
        EXPECT_EQ(info.Get(PortInfo::kCapabilityMask), mask) << name;
        EXPECT_EQ(info.Get(PortInfo::kCapabilityMask2), mask2) << name;
    }
}

TEST(Golden, NodeDescriptionReadsAsSmpqueryPrintsIt) {
    const Golden golden = ReadGolden("node_description");
    const auto description = std::bit_cast<NodeDescription>(DataOf(golden.answer()));
    const NodeDescription::Text text = description.text();
    EXPECT_EQ(std::string(text.data(), description.length()), golden.Saying("Node Description"));
}

TEST(Golden, TablesReadAsSmpqueryPrintsThem) {
    for (const auto& [name, entries] : {std::pair{"p_key_table", std::size_t{32}},
                                        {"guid_info", 8},
                                        {"sl_to_vl_mapping_table", 16},
                                        {"vl_arbitration_table", 8}}) {
        SCOPED_TRACE(name);
        const Golden golden = ReadGolden(name);
        ASSERT_EQ(golden.says.size(), entries);
        const SmpData data = DataOf(golden.answer());
        for (const auto& [label, value] : golden.says) {
            const std::size_t index = std::stoul(label);
            const std::uint64_t said = std::stoull(value, nullptr, 0);
            if (std::string(name) == "p_key_table") {
                EXPECT_EQ(std::bit_cast<PKeyTable>(data).p_key(index), said);
            } else if (std::string(name) == "guid_info") {
                EXPECT_EQ(Raw(std::bit_cast<GuidInfo>(data).guid(index)), said);
            } else if (std::string(name) == "sl_to_vl_mapping_table") {
                EXPECT_EQ(std::bit_cast<SlToVlMappingTable>(data).vl(index), said);
            } else {
                const auto table = std::bit_cast<VlArbitrationTable>(data);
                EXPECT_EQ(table.vl(index), said);
                const std::string weight = value.substr(value.find(' ') + 1);
                EXPECT_EQ(table.weight(index), std::stoul(weight, nullptr, 0));
            }
        }
    }
    EXPECT_EQ(ReadGolden("sl_to_vl_mapping_table").answer().header.attribute_modifier,
              SlToVlMappingTable::Modifier(PortNumber{2}, PortNumber{1}));
    EXPECT_EQ(ReadGolden("vl_arbitration_table").answer().header.attribute_modifier,
              VlArbitrationTable::Modifier(VlArbitrationBlock::kLowerLowPriority, PortNumber{7}));
}

TEST(Golden, TheForwardingTableReadsAsIbroutePrintsIt) {
    const Golden golden = ReadGolden("linear_forwarding_table");
    const auto table = std::bit_cast<LinearForwardingTable>(DataOf(golden.answer()));
    std::map<std::size_t, unsigned> said;
    for (const auto& [lid, port] : golden.says) {
        said[std::stoul(lid, nullptr, 16)] = static_cast<unsigned>(std::stoul(port));
    }
    ASSERT_GE(said.size(), 10U);
    for (std::size_t lid = 0; lid < LinearForwardingTable::kEntries; ++lid) {
        const unsigned expected = said.contains(lid) ? said[lid] : Raw(kNoPort);
        EXPECT_EQ(Raw(table.port(lid)), expected) << "LID " << lid;
    }
}

TEST(Golden, TheMulticastTableReadsAsIbroutePrintsIt) {
    const Golden golden = ReadGolden("multicast_forwarding_table");
    const auto table = std::bit_cast<MulticastForwardingTable>(DataOf(golden.answer()));
    std::map<std::size_t, unsigned> said;
    for (const auto& [lid, ports] : golden.says) {
        unsigned& mask = said[std::stoul(lid, nullptr, 16) - 0xC000];
        std::istringstream in(ports);
        for (unsigned port = 0; in >> port;) {
            mask |= 1U << port;
        }
    }
    ASSERT_EQ(said.size(), 3U);
    for (std::size_t i = 0; i < MulticastForwardingTable::kEntries; ++i) {
        EXPECT_EQ(table.mask(i), said.contains(i) ? said[i] : 0U) << "entry " << i;
    }
}

TEST(Golden, SmInfoReadsAsSminfoPrintsIt) {
    using S = SmInfo;
    Compare("sm_info", {{"guid", {From<S>(S::kGuid)}},
                        {"activity count", {From<S>(S::kActCount)}},
                        {"priority", {From<S>(S::kPriority)}},
                        {"state", {From<S>(S::kSmState)}}});
    const auto info = std::bit_cast<SmInfo>(DataOf(ReadGolden("sm_info").answer()));
    EXPECT_EQ(info.Get(SmInfo::kSmState), SmState::kMaster);
    EXPECT_EQ(info.Get(SmInfo::kSmKey), 0xDEADBEEFU);  // As the recorded OpenSM was configured.
}

TEST(Golden, AHandoverIsASetOfSmInfoWhoseModifierIsTheControl) {
    const Golden golden = ReadGolden("sm_info_handover");
    ASSERT_EQ(golden.datagrams.size(), 2U);
    const Mad& request = golden.datagrams[0].mad;
    EXPECT_EQ(request.header.method, Method::kSet);
    EXPECT_EQ(SmControl{std::uint32_t{request.header.attribute_modifier}}, SmControl::kHandover);
    const auto info = std::bit_cast<SmInfo>(DataOf(request));
    EXPECT_EQ(std::to_string(info.Get(SmInfo::kPriority)), golden.Saying("priority"));
    EXPECT_EQ(info.Get(SmInfo::kSmState), SmState::kMaster);
}

TEST(Golden, NoticesReadAsOpenSmLogsThem) {
    using N = Notice;
    const Labels labels{{"type", {From<N>(N::kType)}},
                        {"num", {From<N>(N::kTrapNumber)}},
                        {"producer", {From<N>(N::kProducerType)}},
                        {"issuer lid", {From<N>(N::kIssuerLid)}}};
    Compare("notice_link_state", labels);
    Compare("notice_local_changes", labels);
}

TEST(Golden, NoticesNameTheLidTheyAreAbout) {
    // Both were sent about the port that sent them.
    const SmpData link = DataOf(ReadGolden("notice_link_state").answer());
    EXPECT_EQ(std::bit_cast<LinkStateNotice>(link).Get(LinkStateNotice::kLidAddr),
              std::bit_cast<Notice>(link).Get(Notice::kIssuerLid));

    const SmpData local = DataOf(ReadGolden("notice_local_changes").answer());
    const auto changes = std::bit_cast<LocalChangesNotice>(local);
    EXPECT_EQ(changes.Get(LocalChangesNotice::kLidAddr), changes.Get(Notice::kIssuerLid));
    // An SM was attached to the port: the bit that port_info_lid.hex names IsSM went on.
    EXPECT_EQ(changes.Get(LocalChangesNotice::kCapabilityMask) & capability_mask::kIsSm,
              capability_mask::kIsSm);
}

TEST(Golden, OpenSmRepressesATrapAsWeDo) {
    for (const char* name : {"notice_link_state", "notice_local_changes"}) {
        const Golden golden = ReadGolden(name);
        ASSERT_EQ(golden.datagrams.size(), 2U);
        const Mad& trap = golden.datagrams[0].mad;
        const auto theirs = std::bit_cast<LidSmp>(golden.datagrams[1].mad);
        const auto ours = std::bit_cast<LidSmp>(ReplyTo(trap, 0, DataOf(trap)));
        using Header = std::array<std::uint8_t, sizeof(MadHeader)>;
        EXPECT_EQ(std::bit_cast<Header>(ours.header), std::bit_cast<Header>(theirs.header));
        EXPECT_EQ(ours.data, theirs.data);
    }
}

}  // namespace
}  // namespace ember
