// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of what a run may go on from.

#include "core/routing/proof_basis.h"

#include <gtest/gtest.h>
#include <vector>

#include "config/netlist/topologies.h"
#include "engines/catalogue.h"
#include "tests/support/fabric_builder.h"

namespace ember {
namespace {

using testing::ArenaStorage;
using testing::BuiltFabric;

class ProofBasisTest : public ::testing::Test {
protected:
    ProofBasisTest()
        : built_(net::Ring(5, 1)),
          arena_(2 * Topology::ScratchBytes(built_.limits()) +
                 ProofBasis::ScratchBytes(built_.limits())),
          switches_(built_.limits().max_switches),
          peers_(built_.limits().max_ports),
          lids_(built_.limits().max_lid),
          basis_({.switches = switches_, .peers = peers_, .lids = lids_}, built_.limits()) {
        Build();
        findings_.longer_routes = 3;
    }
    /// Of the fabric as it is.
    void Build() {
        arena().Reset();
        topology_.Build(built_.fabric(), Order::kBalanced, arena());
    }
    [[nodiscard]] Arena& arena() { return arena_.arena(); }
    /// A port of a switch that leads to another one.
    [[nodiscard]] PortIndex Trunk() const {
        const Fabric& fabric = built_.fabric();
        PortIndex found = kNoPortIndex;
        ForEachPort(fabric, [&](PortIndex at, const Port& port) {
            if (port.peer == kNoPortIndex) return;
            const NodeIndex peer = fabric.port(port.peer).node;
            if (fabric.node(port.node).type == NodeType::kSwitch &&
                fabric.node(peer).type == NodeType::kSwitch) {
                found = at;
            }
        });
        return found;
    }

    BuiltFabric built_;
    ArenaStorage arena_;
    std::vector<ProvedSubnet::SwitchMark> switches_;
    std::vector<SwitchIndex> peers_;
    std::vector<ProvedSubnet::LidMark> lids_;
    ProofBasis basis_;
    Topology topology_;
    Findings findings_;
    MinHop min_hop_;
    UpDn up_dn_;
};

TEST_F(ProofBasisTest, IsThereForTheNextRunAloneUnlessThatKeepsOne) {
    EXPECT_FALSE(basis_.IsUnchanged(topology_));
    basis_.Begin();
    EXPECT_FALSE(basis_.was_there());
    basis_.Keep(topology_, &min_hop_, findings_);
    EXPECT_TRUE(basis_.IsUnchanged(topology_));
    EXPECT_EQ(basis_.findings().longer_routes, 3U);

    basis_.Begin();
    EXPECT_TRUE(basis_.was_there());
    EXPECT_FALSE(basis_.IsUnchanged(topology_)) << "tables are written now";
    basis_.Begin();
    EXPECT_FALSE(basis_.was_there());
}

TEST_F(ProofBasisTest, KnowsBothEndsOfALinkThatIsLost) {
    basis_.Keep(topology_, &min_hop_, findings_);
    const Fabric& fabric = built_.fabric();
    const PortIndex lost = Trunk();
    const SwitchIndex one = fabric.node(fabric.port(lost).node).switch_index;
    const SwitchIndex other = fabric.node(fabric.port(fabric.port(lost).peer).node).switch_index;
    built_.fabric().Disconnect(lost);
    Build();
    EXPECT_FALSE(basis_.IsUnchanged(topology_));
    basis_.Begin();
    ASSERT_TRUE(basis_.Compare(topology_, arena()));
    ASSERT_EQ(basis_.changes().size(), 2U);
    for (const LinkChange& change : basis_.changes()) {
        EXPECT_TRUE(change.at == one || change.at == other);
        EXPECT_EQ(change.was, change.at == one ? other : one);
        EXPECT_EQ(change.is, kNoSwitch);
    }
}

TEST_F(ProofBasisTest, ALostHostIsMoreThanALink) {
    basis_.Keep(topology_, &min_hop_, findings_);
    const Fabric& fabric = built_.fabric();
    PortIndex host = kNoPortIndex;
    ForEachPort(fabric, [&](PortIndex at, const Port& port) {
        const bool is_own = at == fabric.own_port();
        if (fabric.node(port.node).type != NodeType::kSwitch && !is_own) host = at;
    });
    built_.fabric().Disconnect(host);
    Build();
    basis_.Begin();
    EXPECT_FALSE(basis_.Compare(topology_, arena()));
}

TEST_F(ProofBasisTest, GoesOnWithTheEngineThatMadeItWhileNoOtherTouchedTheTables) {
    basis_.Keep(topology_, &min_hop_, findings_);
    basis_.Begin();
    EXPECT_FALSE(basis_.IsOf(&min_hop_));
    ASSERT_TRUE(basis_.Compare(topology_, arena()));
    basis_.GoOn(topology_, arena());
    EXPECT_TRUE(basis_.goes_on());
    EXPECT_TRUE(basis_.IsOf(&min_hop_));
    EXPECT_FALSE(basis_.IsOf(&up_dn_));
    basis_.Touch();
    EXPECT_TRUE(basis_.goes_on());
    EXPECT_FALSE(basis_.IsOf(&min_hop_));
}

TEST_F(ProofBasisTest, NotesEntriesInALogOfTheEngineThatBegins) {
    basis_.Keep(topology_, &min_hop_, findings_);
    basis_.Begin();
    ASSERT_TRUE(basis_.Compare(topology_, arena()));
    basis_.GoOn(topology_, arena());
    basis_.BeginLog();
    EXPECT_FALSE(basis_.log().is_whole());
    basis_.log().Open();
    basis_.log().Note(SwitchIndex{1}, Lid{2});
    EXPECT_TRUE(basis_.log().is_whole());
    EXPECT_EQ(basis_.log().entries().size(), 1U);
    basis_.BeginLog();  // By another engine.
    EXPECT_TRUE(basis_.log().entries().empty());
}

TEST_F(ProofBasisTest, ForgetsChangesThatAreOfNoUse) {
    basis_.Keep(topology_, &min_hop_, findings_);
    built_.fabric().Disconnect(Trunk());
    Build();
    basis_.Begin();
    ASSERT_TRUE(basis_.Compare(topology_, arena()));
    basis_.GoOn(topology_, arena());
    basis_.Forget();
    EXPECT_FALSE(basis_.goes_on());
    EXPECT_TRUE(basis_.changes().empty());
    EXPECT_FALSE(basis_.IsOf(&min_hop_));
}

TEST_F(ProofBasisTest, IsProgrammedOnlyAfterItWasKept) {
    basis_.Keep(topology_, &min_hop_, findings_);
    EXPECT_FALSE(basis_.is_programmed());
    basis_.Commit();
    EXPECT_TRUE(basis_.is_programmed());
    basis_.Keep(topology_, &min_hop_, findings_);
    EXPECT_FALSE(basis_.is_programmed());
}

TEST_F(ProofBasisTest, WithoutMemoryThereIsNone) {
    ProofBasis none({}, built_.limits());
    none.Keep(topology_, &min_hop_, findings_);
    none.Begin();
    EXPECT_FALSE(none.was_there());
}

}  // namespace
}  // namespace ember
