// SPDX-License-Identifier: Apache-2.0
// EmberSM: from the members of a multicast LID to the ports that its packets leave by.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/arena.h"
#include "core/base/ids.h"
#include "core/base/limits.h"
#include "core/base/table.h"
#include "core/fabric/fabric.h"
#include "core/fabric/guid_order.h"
#include "core/multicast/groups.h"
#include "core/multicast/mft_tables.h"
#include "core/multicast/tree_check.h"
#include "core/settings/settings.h"

namespace ember {

/// The outcome of planning the tree of a multicast LID.
struct TreeOutcome {
    std::uint32_t members = 0;  ///< Ports that shall be reached.
    std::uint32_t lost = 0;     ///< Of these, those that no switch that knows multicast leads to.
    std::uint32_t changed = 0;  ///< Masks that are now wanted otherwise.
    bool is_plain = false;      ///< OpenSM's tree would have lost members or made a loop.
    bool is_refused = false;    ///< The result is no tree: nothing has changed.
};

/// Makes the tree of one multicast LID at a time, and proves it before it is wanted.
///
/// As OpenSM does: the root is the switch from which the farthest member is nearest, the first such
/// in the order of GUIDs; from there every member is handed to the lowest port that leads to it on
/// a shortest path, and members that share a port share a branch. Under Order::kBalanced roots that
/// are equally near are chosen among by their distance to all members, then in turn by MLID, and so
/// are equal ports: groups spread over the switches and links of a tree, and no member is farther.
///
/// Both orders of ports are fixed for a switch and a MLID, and so no switch is entered twice: if
/// two members' shortest paths lead through a switch, every port that leads to it leads to both.
/// With weighted links that need not hold, nor does it where a switch knows no multicast; then,
/// and only then, a plain breadth-first tree from the same root is taken.
class Trees {
public:
    /// The state of a switch while one tree is made.
    struct Spot {
        std::uint32_t stamp = 0;           ///< Of the tree that has met it.
        bool is_entered = false;           ///< A branch runs through it.
        bool has_members = false;          ///< Member ports hang on it.
        bool is_end_far = false;           ///< Of these, one that is not its own port 0.
        SwitchIndex before = kNoSwitch;    ///< Plain tree: the switch nearer to the root.
        PortNumber port_before = kNoPort;  ///< And that one's port to here.
        PortNumber port_back = kNoPort;
    };
    /// A branch that is still to be followed.
    struct Branch {
        SwitchIndex at = kNoSwitch;
        std::uint32_t first = 0;  ///< Its members, among the targets.
        std::uint32_t count = 0;
    };
    struct Memory {
        std::span<Spot> spots;  ///< max_switches, as all of these but the draft.
        std::span<SwitchIndex> order;
        std::span<SwitchIndex> targets;  ///< Switches on which members hang.
        std::span<SwitchIndex> queue;
        std::span<Branch> branches;
        std::span<std::uint8_t> ports;  ///< By target: the port it is handed to.
        std::span<TreeCheck::Spot> checked;
        std::span<std::uint16_t> draft;  ///< A mask for each position of MftTables.
    };
    using Hops = Matrix<SwitchIndex, const std::uint8_t>;
    /// A root for PlanAlong(), and where the search for the next one goes on.
    struct Roots {
        std::uint64_t distance = 0;  ///< From it to all members.
        std::uint32_t place = 0;     ///< In the order of switches: behind it.
        SwitchIndex root = kNoSwitch;
    };

    Trees(const Memory& memory, const Fabric& fabric, const Groups& groups, MftTables& tables)
        : memory_(memory), fabric_(fabric), groups_(groups), tables_(tables) {}
    Trees(const Trees&) = delete;
    Trees& operator=(const Trees&) = delete;

    /// Octets that Begin() takes from its arena, and gives back.
    [[nodiscard]] static constexpr std::size_t ScratchBytes(const Limits& limits) {
        return Arena::BytesFor<std::uint64_t>(limits.max_switches) +
               SortScratchBytes<SwitchIndex>(limits.max_switches);
    }

    /// The subnet has changed: from now on Plan() reads `hops`, which must cover all switches.
    void Begin(Hops hops, Order order, Arena& scratch);
    /// Makes the tree of `mlid` and tells MftTables what is wanted. A few microseconds for a
    /// switch of the tree, and one comparison of octets for each pair of a switch and a switch with
    /// members: a millisecond or two for a group of all on the largest boards.
    TreeOutcome Plan(MlidIndex mlid);
    /// Likewise, but the tree is made of the paths that unicast takes to `root`, by the tables
    /// `lfts`. Where packets go up and then down in an order of switches, the tree of a root at the
    /// top makes them do so too. All such trees of one root are parts of one tree.
    TreeOutcome PlanAlong(MlidIndex mlid, SwitchIndex root,
                          Matrix<SwitchIndex, const std::uint8_t> lfts);
    /// Likewise, but a part of the breadth-first tree from `root`: all such trees of one root are
    /// parts of one tree too.
    TreeOutcome PlanFrom(MlidIndex mlid, SwitchIndex root);
    /// The next root behind `roots`: nearest to all members of the MLID first. Roots::root is
    /// kNoSwitch when there is none left.
    void FindRoot(MlidIndex mlid, Roots& roots);
    /// Multicast LIDs that most of the switches that know multicast have room for. Where one of
    /// the others cannot hold a MLID, trees of that MLID go past it.
    [[nodiscard]] std::size_t mlid_count() const { return mlid_count_; }
    /// See TreeTransition::MayLoop().
    [[nodiscard]] bool MayLoop(MlidIndex mlid);

private:
    /// A link to another switch that packets may take.
    struct Trunk {
        SwitchIndex peer = kNoSwitch;
        PortNumber port{};
        PortNumber peer_port{};
    };

    void Gather(MlidIndex mlid, TreeOutcome& outcome);
    void GatherHeld(MlidIndex mlid, TreeOutcome& outcome);
    void AddMember(Guid port_guid, TreeOutcome& outcome);
    void AddExit(const Port& exit, TreeOutcome& outcome);
    [[nodiscard]] SwitchIndex ChooseRoot(MlidIndex mlid);
    [[nodiscard]] std::uint32_t Farthest(SwitchIndex at, std::uint32_t limit) const;
    [[nodiscard]] std::uint64_t DistanceToAll(SwitchIndex at) const;
    [[nodiscard]] bool GrowShortest(SwitchIndex root, MlidIndex mlid);
    [[nodiscard]] bool Split(const Branch& branch, MlidIndex mlid);
    void AssignPorts(const Branch& branch);
    [[nodiscard]] bool OpenBranches(const Branch& branch);
    void GrowPlain(SwitchIndex root, TreeOutcome& outcome);
    [[nodiscard]] bool GrowAlong(SwitchIndex root, Matrix<SwitchIndex, const std::uint8_t> lfts);
    [[nodiscard]] bool FollowUnicast(SwitchIndex from, SwitchIndex root,
                                     Matrix<SwitchIndex, const std::uint8_t> lfts);
    void SearchFrom(SwitchIndex root);
    void Lose(SwitchIndex target, TreeOutcome& outcome);
    void Publish(MlidIndex mlid, TreeOutcome& outcome);
    [[nodiscard]] bool Prove(TreeOutcome& outcome);

    void CollectTrunks(SwitchIndex at, std::size_t turn);
    [[nodiscard]] std::size_t CountForMost() const;
    [[nodiscard]] bool CanForward(SwitchIndex at) const;
    [[nodiscard]] bool IsSwitch(PortIndex at) const;
    [[nodiscard]] Spot& Meet(SwitchIndex at);
    void Open(SwitchIndex at, PortNumber port);

    Memory memory_;
    const Fabric& fabric_;
    const Groups& groups_;
    MftTables& tables_;
    Hops hops_;
    Order order_ = Order::kOpensm;
    std::size_t switches_ = 0;  ///< In memory_.order.
    std::size_t targets_ = 0;
    std::size_t branches_ = 0;
    std::size_t mlid_count_ = 0;
    MlidIndex mlid_{0};  ///< Of the tree at hand.
    std::uint32_t stamp_ = 0;
    std::array<Trunk, 256> trunks_{};  ///< Of the switch at hand.
    std::size_t trunk_count_ = 0;
};

}  // namespace ember
