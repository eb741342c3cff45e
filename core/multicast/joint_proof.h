// SPDX-License-Identifier: Apache-2.0
// EmberSM: the proof that multicast and unicast together close no credit loop.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "core/base/arena.h"
#include "core/base/bit_set.h"
#include "core/base/ids.h"
#include "core/base/progress.h"
#include "core/base/table.h"
#include "core/fabric/fabric.h"
#include "core/graph/dependencies.h"
#include "core/graph/topology.h"
#include "core/multicast/groups.h"
#include "core/multicast/mft_tables.h"
#include "core/multicast/tree_check.h"
#include "core/multicast/tree_lanes.h"
#include "core/routing/router.h"
#include "core/routing/verifier.h"
#include "core/settings/settings.h"

namespace ember {

/// The result of a proof of multicast and unicast together.
enum class JointOutcome : std::uint8_t {
    kUnknown,     ///< Not looked at: nothing is routed, or the subnet is not as it was routed.
    kFree,        ///< No credit loop is possible.
    kUnicast,     ///< Unicast among end ports alone may close one: its own verdict tells it.
    kEndPorts,    ///< Trees and unicast among end ports may close one.
    kManagement,  ///< Trees and unicast may close one once switches' port 0 take part.
    kNoRoom,      ///< The scratch arena has no room for the proof.
};
/// Their words, in the status and in metrics.
inline constexpr std::array<std::string_view, 6> kJointOutcomeWords = {
    "unknown", "free", "unicast", "end_ports", "management", "no_room"};

struct JointVerdict {
    JointOutcome outcome = JointOutcome::kUnknown;
    /// With kFree: unicast from and to every switch's port 0 is in it, and closes none either.
    bool has_management = false;
    /// The proof of the routing has kept its dependencies: another proof is cheap.
    bool is_beside_kept = false;
    std::uint32_t trees = 0;  ///< Looked at.
    /// Of these, trees whose packets are dropped somewhere, as a SL to VL map says.
    std::uint32_t dropped = 0;
    MlidIndex mlid = kNoMlid;  ///< With a credit loop: the tree that has most of it.
    ChannelList cycle;         ///< Then: the channels of it.
};

/// Adds all trees to the dependencies of unicast, and looks for a cycle in all of them together.
///
/// The dependencies of unicast are those that the proof of the routing has kept, if they are there:
/// a copy of them, the trees and the search cost some milliseconds on the largest boards, and when
/// the trees that changed add nothing new, the search and all other trees are saved. Kept
/// dependencies may be more than the routing has, and do not tell about switches' port 0. So a
/// cycle with them does not count yet: then, or where none are kept, the routing is followed anew
/// by a Verifier, which takes as long as its proof.
///
/// Multicast packets of a service level that the routing does not use travel on lanes beside it:
/// see TreeLanes.
class JointProof {
public:
    struct Parts {
        const Fabric& fabric;
        const Groups& groups;
        const MftTables& tables;  ///< The wanted masks count.
        const Settings& settings;
    };
    /// Stands still until the end.
    struct Task {
        const Router* router = nullptr;  ///< At rest; its routing is programmed.
        Matrix<SwitchIndex, const std::uint8_t> lfts;
        /// Look at everything, also at switches' port 0, whatever is kept.
        bool is_whole = false;
        /// The trees that may differ from those of the last verdict, which was of this routing;
        /// null: all.
        const BitSet* changed = nullptr;
    };

    explicit JointProof(const Parts& parts);
    JointProof(const JointProof&) = delete;
    JointProof& operator=(const JointProof&) = delete;

    /// Takes from `scratch` what is left there at most, until Advance() says kDone or Stop().
    void Begin(const Task& task, Arena& scratch);
    /// Does a slice of a few hundred microseconds. kDone: verdict() holds.
    [[nodiscard]] Progress Advance();
    /// Gives up a run under way. The verdict is unknown then.
    void Stop();
    [[nodiscard]] bool is_at_work() const { return phase_ != Phase::kIdle; }
    [[nodiscard]] const JointVerdict& verdict() const { return verdict_; }

private:
    enum class Phase : std::uint8_t {
        kIdle,
        kLooking,  ///< Whether there is any tree.
        kTopology,
        kRoutes,   ///< The Verifier follows them.
        kTaking,   ///< Dependencies of unicast are copied to a graph of our own.
        kChanged,  ///< Trees that may differ are added.
        kTrees,    ///< All are.
        kSearch,
        kNaming,
    };

    void Look();
    void BuildTopology();
    void Choose();
    void ChooseKept(const DependencyGraph& kept);
    void ChooseWhole();
    [[nodiscard]] bool TakeOwnGraph(std::uint8_t lanes);
    void FollowRoutes();
    void TakeSome();
    void AddSome();
    void EndTrees();
    void Search();
    void EndFree();
    void BeginManagement();
    void BeginTrees();
    void NameSome();
    void End(JointOutcome outcome);
    [[nodiscard]] bool FindTree();
    [[nodiscard]] bool Gather(MlidIndex mlid);
    [[nodiscard]] unsigned SlsOf(MlidIndex mlid) const;
    [[nodiscard]] bool NeedsOtherLane();
    void AddTree(MlidIndex mlid);
    [[nodiscard]] std::uint32_t CountTurns() const;
    [[nodiscard]] std::size_t FreeBytes() const {
        return scratch_->size_bytes() - scratch_->used_bytes();
    }

    Parts parts_;
    Task task_;
    Arena* scratch_ = nullptr;
    std::size_t mark_ = 0;          ///< Where scratch stood at Begin().
    std::size_t topology_end_ = 0;  ///< And behind masks and topology.
    Topology topology_;
    Verifier verifier_;
    DependencyGraph own_graph_;
    CycleSearch own_search_;
    TreeCheck check_;
    TreeLanes lanes_;
    std::span<std::uint16_t> masks_;           ///< Of the tree at hand.
    const DependencyGraph* source_ = nullptr;  ///< The graph that own_graph_ takes in.
    DependencyGraph* graph_ = nullptr;         ///< The graph that the trees are added to.
    CycleSearch* search_ = nullptr;
    bool is_whole_ = false;
    bool is_begun_ = false;    ///< The topology is being built.
    bool has_kept_ = false;    ///< There are dependencies that were kept.
    bool needs_lane_ = false;  ///< Some group's packets leave the lanes of the routing.
    bool with_management_ = false;
    bool adds_ = false;     ///< The trees of kChanged add something new.
    std::size_t next_ = 0;  ///< MLID, or exit.
    std::uint32_t most_turns_ = 0;
    JointOutcome found_ = JointOutcome::kUnknown;  ///< While the tree of a cycle is looked for.
    Phase phase_ = Phase::kIdle;
    JointVerdict verdict_;
};

}  // namespace ember
