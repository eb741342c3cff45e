// SPDX-License-Identifier: Apache-2.0
// EmberSM: ports get the limits of bandwidth that enhanced_qos_policy_file says.
//
// Goal:   after a bring-up, a change of rules and a restart every port has the limits that the
//         rules give it, with no datagram that is not needed; what a port does not take is told and
//         tried again; a device that takes no limits is told of once; without a policy no port is
//         asked.
// Method: a simulated fabric whose registers are compared with what the test works out itself.
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <gtest/gtest.h>
#include <optional>
#include <vector>

#include "core/wire/guid_info_record.h"
#include "platform/sim/sim_bandwidth.h"
#include "tests/support/gated_port.h"
#include "tests/support/sa_client.h"
#include "tests/support/sim_world.h"

namespace ember::testing {
namespace {

constexpr std::uint32_t kOwn = 0;  ///< Hosts; the first is the manager's.
constexpr std::uint32_t kNamed = 3;
constexpr std::uint32_t kGrouped = 4;
constexpr std::uint32_t kOther = 5;
constexpr std::uint32_t kVirtual0 = 1;  ///< Tables of a port, as the device counts them.
constexpr std::uint32_t kVirtual1 = 2;

class BandwidthScenario : public ::testing::Test {
protected:
    explicit BandwidthScenario(const sim::Hardware& hardware = {})
        : world_(net::FatTree2(4), OptionsOf(hardware)) {
        settings_ = BriskSettings();
        settings_.sweep_interval = 3600;
        settings_.qos = true;
        sets_ = {Limit(1, 50), Limit(1, 25), LimitAll(15), Limit(3, 10)};
        rules_ = {{.guid = kNoGuid, .set = 0}, {.guid = GuidOf(kNamed), .set = 1}};
        virtual_rules_ = {{.guid = kNoGuid, .set = 2}, {.guid = GuidOf(kNamed), .set = 3}};
        std::sort(virtual_rules_.begin(), virtual_rules_.end(), IsBefore);
        Offer();
    }
    static SimWorld::Options OptionsOf(const sim::Hardware& hardware) {
        SimWorld::Options options;
        options.hardware = hardware;
        return options;
    }
    static bool IsBefore(const BandwidthRule& one, const BandwidthRule& other) {
        return Raw(one.guid) < Raw(other.guid);
    }
    static BandwidthSet Limit(std::size_t sl, std::uint32_t rate) {
        BandwidthSet set{.named = static_cast<std::uint16_t>(1U << sl)};
        set.rates.at(sl) = rate;
        return set;
    }
    static BandwidthSet LimitAll(std::uint32_t rate) {
        BandwidthSet set{.named = 0xFFFF};
        set.rates.fill(rate);
        return set;
    }
    [[nodiscard]] std::uint32_t RowOf(std::uint32_t host) { return world_.sim().RowOf(host, 1); }
    [[nodiscard]] Guid GuidOf(std::uint32_t host) { return world_.world().port(RowOf(host)).guid; }
    void Offer() {
        settings_.manager_tables.has_bandwidth = true;
        settings_.manager_tables.bandwidth_sets = sets_;
        settings_.manager_tables.bandwidth_rules = rules_;
        settings_.manager_tables.bandwidth_groups = groups_;
        settings_.manager_tables.bandwidth_virtual_rules = virtual_rules_;
    }
    /// A port group that `host` is in by its GUID, with a rule of its own.
    void OfferGroup(std::uint32_t host, std::uint16_t set) {
        group_ranges_ = {{.from = Raw(GuidOf(host)), .to = Raw(GuidOf(host))}};
        qos_groups_ = {{.first = 0, .guids = 1}};
        settings_.manager_tables.qos_levels = levels_;
        settings_.manager_tables.qos_groups = qos_groups_;
        settings_.manager_tables.qos_group_ranges = group_ranges_;
        groups_ = {{.group = 0, .set = set}};
        Offer();
    }
    void Start() {
        world_.AddManager(settings_);
        gate_.emplace(world_.attachment());
        world_.Interpose(*gate_);
        world_.Restart();
        ASSERT_TRUE(world_.RunUntilQuiet(60 * kSecond)) << world_.Notes();
    }
    void Reconfigure() {
        world_.sm().Configure(settings_);
        world_.Wake();
        world_.RunFor(kSecond);
        ASSERT_TRUE(world_.RunUntilQuiet(60 * kSecond)) << world_.Notes();
    }
    /// The rates that a device has.
    [[nodiscard]] std::array<std::uint32_t, 16> Has(std::uint32_t host, std::uint32_t table = 0) {
        sim::SimBandwidthTable octets;
        const auto block = world_.world().BandwidthBlock(RowOf(host), table);
        std::copy(block.begin(), block.end(), octets.octets().begin());
        std::array<std::uint32_t, 16> rates{};
        for (std::size_t sl = 0; sl < rates.size(); ++sl) {
            rates.at(sl) = octets.rate(sl);
        }
        return rates;
    }
    /// Rates of SL 0, 1, 3 and 15.
    [[nodiscard]] std::vector<std::uint32_t> Some(std::uint32_t host, std::uint32_t table = 0) {
        const auto rates = Has(host, table);
        return {rates[0], rates[1], rates[3], rates[15]};
    }
    /// Datagrams of the attribute since the manager started, second tries apart.
    [[nodiscard]] std::uint64_t Gets() {
        return world_.sm().exchange().statistics().GetsOf(sim::kSimBandwidth);
    }
    [[nodiscard]] std::uint64_t Sets() {
        return world_.sm().exchange().statistics().SetsOf(sim::kSimBandwidth);
    }
    [[nodiscard]] std::uint32_t Failed() { return world_.sm().bandwidths().outcome().failed; }

    using Rates = std::vector<std::uint32_t>;
    SimWorld world_;
    Settings settings_;
    std::vector<BandwidthSet> sets_;
    std::vector<BandwidthRule> rules_;
    std::vector<BandwidthGroupRule> groups_;
    std::vector<BandwidthRule> virtual_rules_;
    std::vector<QosLevel> levels_{{}};
    std::vector<QosGroup> qos_groups_;
    std::vector<QosRange> group_ranges_;
    std::optional<GatedPort> gate_;
};

TEST_F(BandwidthScenario, EveryPortHasWhatItsRuleSays) {
    OfferGroup(kGrouped, 3);
    Start();
    EXPECT_EQ(Some(kNamed), (Rates{0, 25, 0, 0})) << "its own rule before the default one";
    EXPECT_EQ(Some(kGrouped), (Rates{0, 50, 10, 0}))
        << "an SL that the group's rule does not name has the default";
    EXPECT_EQ(Some(kOther), (Rates{0, 50, 0, 0}));
    EXPECT_EQ(Some(kOwn), (Rates{0, 50, 0, 0})) << "our own port is one like others";
    EXPECT_EQ(Some(kNamed, kVirtual0), (Rates{0, 0, 10, 0}));
    EXPECT_EQ(Some(kOther, kVirtual0), (Rates{0, 0, 0, 0}))
        << "the default of virtual ports is not for virtual port 0";
    EXPECT_EQ(Failed(), 0U);
    EXPECT_EQ(Gets(), 8U * 2) << "two tables of each host";
    EXPECT_EQ(Sets(), 8U + 1) << "each port's, and one of a virtual port 0";
    EXPECT_EQ(world_.sm().bandwidths().not_taken(), 0U);
    EXPECT_EQ(world_.Heard(Note::kBandwidthNotTaken), 0U) << world_.Notes();
}

TEST_F(BandwidthScenario, APredefinedGroupIsOfAllItsNodeTypes) {
    groups_ = {{.group = kGroupOfTypes | qos_node_type::kRouter, .set = 1},
               {.group = kGroupOfTypes | qos_node_type::kCa, .set = 3}};
    Offer();
    Start();
    EXPECT_EQ(Some(kNamed), (Rates{0, 25, 0, 0})) << "its own rule before that of a group";
    EXPECT_EQ(Some(kOther), (Rates{0, 50, 10, 0}));
    EXPECT_EQ(Some(kOwn), (Rates{0, 50, 10, 0}));
}

TEST_F(BandwidthScenario, AnOwnRuleCountsBeforeThatOfAGroup) {
    OfferGroup(kNamed, 2);
    Start();
    EXPECT_EQ(Some(kNamed), (Rates{0, 25, 0, 0}));
}

TEST_F(BandwidthScenario, VirtualPort0CanFollowTheDefaultRule) {
    settings_.enhanced_qos_vport0_unlimit_default_rl = false;
    Start();
    EXPECT_EQ(Some(kNamed, kVirtual0), (Rates{15, 15, 10, 15}));
    EXPECT_EQ(Some(kOther, kVirtual0), (Rates{15, 15, 15, 15}));
    settings_.enhanced_qos_vport0_unlimit_default_rl = true;
    Reconfigure();
    EXPECT_EQ(Some(kNamed, kVirtual0), (Rates{0, 0, 10, 0}));
    EXPECT_EQ(Some(kOther, kVirtual0), (Rates{0, 0, 0, 0}));
}

TEST_F(BandwidthScenario, AChangeWritesWhatDiffersAndARestartNothing) {
    Start();
    const std::uint64_t gets = Gets();
    const std::uint64_t sets = Sets();
    sets_ = {Limit(1, 50), Limit(2, 7), LimitAll(15), Limit(3, 10)};  // Of kNamed alone.
    Offer();
    Reconfigure();
    EXPECT_EQ(Has(kNamed)[2], 7U);
    EXPECT_EQ(Has(kNamed)[1], 50U);
    EXPECT_EQ(Sets(), sets + 1);
    EXPECT_EQ(Gets(), gets) << "what was acknowledged is known";

    world_.Reconfigure(settings_);
    world_.Restart();
    ASSERT_TRUE(world_.RunUntilQuiet(60 * kSecond)) << world_.Notes();
    EXPECT_EQ(Sets(), 0U);
    EXPECT_EQ(Gets(), 8U * 2);
    EXPECT_EQ(Has(kNamed)[2], 7U);
}

TEST_F(BandwidthScenario, TheEndOfAPolicyTakesItsLimitsBack) {
    Start();
    ASSERT_EQ(Some(kOther), (Rates{0, 50, 0, 0}));
    settings_.manager_tables = ManagerTables{};
    Reconfigure();
    EXPECT_EQ(Some(kOther), (Rates{0, 0, 0, 0}));
    EXPECT_EQ(Some(kNamed, kVirtual0), (Rates{0, 0, 0, 0}));
}

TEST_F(BandwidthScenario, WithoutAPolicyOrWithoutQosNoPortIsAsked) {
    settings_.qos = false;
    Start();
    EXPECT_EQ(Gets() + Sets(), 0U);
    world_.world().BandwidthBlock(RowOf(kOther), 0)[3] = 9;  // SL 0.
    settings_.qos = true;
    settings_.manager_tables = ManagerTables{};
    Reconfigure();
    EXPECT_EQ(Gets() + Sets(), 0U);
    EXPECT_EQ(Has(kOther)[0], 9U) << "left alone";
}

TEST_F(BandwidthScenario, AFileWithoutRulesLiftsAllLimits) {
    world_.world().BandwidthBlock(RowOf(kOther), 0)[3] = 9;
    sets_.clear();
    rules_.clear();
    virtual_rules_.clear();
    Offer();
    Start();
    EXPECT_EQ(Has(kOther)[0], 0U);
    EXPECT_EQ(Sets(), 1U);
}

TEST_F(BandwidthScenario, APortThatWasResetGetsItsLimitsAgain) {
    Start();
    const std::uint32_t row = RowOf(kNamed);
    world_.sim().Do(sim::FabricSim::Action::kPowerOff, kNamed);
    world_.RunFor(kSecond);
    world_.sim().Do(sim::FabricSim::Action::kPowerOn, kNamed);
    ASSERT_TRUE(world_.RunUntilQuiet(60 * kSecond)) << world_.Notes();
    EXPECT_EQ(world_.world().port(row).info.Get(PortInfo::kPortState), PortState::kActive);
    EXPECT_EQ(Some(kNamed), (Rates{0, 25, 0, 0}));
}

TEST_F(BandwidthScenario, ASetThatIsNotAnsweredIsToldOnceAndTriedAgain) {
    world_.AddManager(settings_);
    gate_.emplace(world_.attachment());
    world_.Interpose(*gate_);
    std::uint64_t lost = 0;
    bool loses = true;
    gate_->lets_out = [&](const Envelope& envelope) {
        const MadHeader& header = envelope.mad.header;
        const bool is_lost =
            loses && header.attribute_id == sim::kSimBandwidth && header.method == Method::kSet;
        if (is_lost) ++lost;
        return !is_lost;
    };
    world_.Restart();
    ASSERT_TRUE(world_.RunUntilUp(60 * kSecond)) << "links do not wait for ever";
    world_.RunFor(20 * kSecond);
    EXPECT_GT(lost, 0U);
    EXPECT_GE(world_.Heard(Note::kSetUnanswered), 1U) << world_.Notes();
    EXPECT_EQ(Some(kOther), (Rates{0, 0, 0, 0}));
    EXPECT_TRUE(world_.sm().bandwidths().lacks());
    loses = false;
    ASSERT_TRUE(world_.RunUntil(
        [this] {
            return Some(kOther) == Rates{0, 50, 0, 0};
        },
        (settings_.sweep_interval + 60) * kSecond))
        << "no sweep by hand is needed: after three sweeps at once the next is a timed one";
}

TEST_F(BandwidthScenario, AnAliasIsAVirtualPortWithARuleOfItsOwn) {
    constexpr Guid kAlias{0x2c90000000026};
    virtual_rules_.push_back({.guid = kAlias, .set = 3});
    std::sort(virtual_rules_.begin(), virtual_rules_.end(), IsBefore);
    Offer();
    Start();
    EXPECT_EQ(Some(kOther, kVirtual1), (Rates{0, 0, 0, 0})) << "it is not there yet";
    SaClient client(world_, kOther);
    GuidInfo table;
    table.SetGuid(1, kAlias);
    table.SetGuid(2, Guid{0xA2});
    GuidInfoRecord record;
    record.Set(GuidInfoRecord::kLid, client.lid());
    Put(record, GuidInfoRecord::kTable, table);
    const std::uint64_t mask = 3U | 6ULL << GuidInfoRecord::kFirstGuid;
    const auto answer = client.AskOnce(
        client.Question(Method::kSet, SaAttribute::kGuidInfoRecord, mask, record), kSecond);
    ASSERT_TRUE(answer.has_value());
    ASSERT_EQ(std::uint16_t{answer->header.status}, 0U);
    world_.RunFor(3 * kSecond);
    EXPECT_EQ(Some(kOther, kVirtual1), (Rates{15, 15, 10, 15})) << world_.Notes();
    EXPECT_EQ(Some(kOther, kVirtual1 + 1), (Rates{15, 15, 15, 15}));
    EXPECT_EQ(Some(kOther, kVirtual0), (Rates{0, 0, 0, 0}));
}

/// Hosts that do not know the attribute, though the board takes them for such as do.
class DeafHosts : public BandwidthScenario {
protected:
    static sim::Hardware WithoutLimits() {
        sim::Hardware hardware;
        hardware.takes_bandwidth = false;
        return hardware;
    }
    DeafHosts() : BandwidthScenario(WithoutLimits()) {}
};

TEST_F(DeafHosts, AreToldOnceAndTriedAgainAfterASweep) {
    Start();
    EXPECT_GE(world_.Heard(Note::kSetRefused), 1U) << world_.Notes();
    EXPECT_EQ(Failed(), 8U + 1)
        << "what cannot be read is empty, and is written where it shall not";
    const std::uint64_t told = world_.Heard(Note::kSetRefused);
    const std::uint64_t sets = Sets();
    world_.sm().RequestSweep(SweepCue::kHeavyRequest);
    world_.Wake();
    world_.RunFor(kSecond);
    ASSERT_TRUE(world_.RunUntilQuiet(60 * kSecond)) << world_.Notes();
    EXPECT_GE(Sets(), sets + 9);
    EXPECT_EQ(Failed(), 9U);
    EXPECT_EQ(world_.Heard(Note::kSetRefused), told) << "told once";
}

/// A board that knows no device with limits.
class NoCodec final : public BandwidthCodec {
public:
    [[nodiscard]] AttributeId attribute() const override { return sim::kSimBandwidth; }
    [[nodiscard]] bool Takes(const DeviceKind& device) const override {
        return device.device_id == 0xFFFF;
    }
    [[nodiscard]] std::uint32_t ModifierOf(const BandwidthTarget&) const override { return 0; }
    [[nodiscard]] SmpData Encode(const BandwidthRates&) const override { return {}; }
};

TEST_F(BandwidthScenario, DevicesThatTakeNoLimitsAreToldOf) {
    const NoCodec codec;
    world_.SetCodec(&codec);
    Start();
    EXPECT_EQ(Gets() + Sets(), 0U);
    EXPECT_EQ(world_.sm().bandwidths().not_taken(), 8U);
    EXPECT_EQ(world_.Heard(Note::kBandwidthNotTaken), 1U) << world_.Notes();
    world_.sm().RequestSweep(SweepCue::kHeavyRequest);
    world_.Wake();
    world_.RunFor(kSecond);
    ASSERT_TRUE(world_.RunUntilQuiet(60 * kSecond));
    EXPECT_EQ(world_.Heard(Note::kBandwidthNotTaken), 1U) << "once, as nothing has changed";
    // The same without any codec: one who composes the core may have overlooked the policy.
    world_.SetCodec(nullptr);
    world_.Restart();
    ASSERT_TRUE(world_.RunUntilQuiet(60 * kSecond));
    EXPECT_EQ(world_.sm().bandwidths().not_taken(), 8U);
}

}  // namespace
}  // namespace ember::testing
