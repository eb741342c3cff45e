// SPDX-License-Identifier: Apache-2.0
// EmberSM: what a master tells its standbys of the subnet, beside registrations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/bit_set.h"
#include "core/fabric/sa_state.h"
#include "core/lids/lid_upkeep.h"
#include "core/links/flapping_links.h"
#include "core/m_keys/known_m_keys.h"
#include "core/platform.h"

namespace ember {

/// LIDs of GUIDs, also of ports that are away; the rules of M_Keys that ports may have; links in
/// quarantine. As master it shows them to a journal; as standby it puts what it hears where this
/// manager keeps its own, so that a takeover finds it there.
///
/// Secrets of M_Keys are masked by a code of the replication_key: where each port has a key of its
/// own the secret is never on the wire.
class ReplicatedState final : public SubnetState {
public:
    /// All outlive it.
    struct Parts {
        LidUpkeep& lids;
        KnownMKeys& m_keys;
        FlappingLinks& flapping;
        MessageCodes* codes;  ///< nullptr: rules of M_Keys are not told.
        Entropy& entropy;
    };

    /// `lid_marks`: BitSet::WordsFor() max_lid + 1; none on a board that does not replicate.
    ReplicatedState(std::span<std::uint64_t> lid_marks, const Parts& parts)
        : marks_(lid_marks), parts_(parts) {}
    ReplicatedState(const ReplicatedState&) = delete;
    ReplicatedState& operator=(const ReplicatedState&) = delete;

    // SubnetState.
    [[nodiscard]] std::size_t bound() const override;
    void Show(std::size_t row, SaStateSink& sink) override;
    void Watch(SaStateSink* sink) override;
    void BeginCopy() override;
    Status Obey(SaEntryKind kind, std::span<const std::byte> body, std::uint64_t clock_us,
                std::uint64_t now_us) override;
    void EndCopy() override;

    /// As master: tells of M_Keys if there are other rules than were told.
    void Step();
    /// The master that this is of is followed no longer.
    void Forget();

private:
    [[nodiscard]] Result<std::uint64_t> MaskOf(const MKeyRuleEntry& entry) const;
    void ShowRule(std::size_t place, SaStateSink& sink) const;
    [[nodiscard]] Status ObeyLids(const LidsEntry& entry);
    [[nodiscard]] Status ObeyRule(const MKeyRuleEntry& entry);
    [[nodiscard]] Status ObeyQuarantine(const QuarantineEntry& entry, std::uint64_t clock_us,
                                        std::uint64_t now_us);

    BitSet marks_;  ///< Lowest LIDs of entries that the copy has told of.
    Parts parts_;
    SaStateSink* sink_ = nullptr;
    std::uint32_t sent_version_ = 0;  ///< Of the rules.
    MKeyRules heard_;                 ///< Rules, from the one of place 0 on.
    bool copy_has_lids_ = false;      ///< The copy under way does.
};

}  // namespace ember
