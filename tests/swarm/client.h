// SPDX-License-Identifier: Apache-2.0
// EmberSM: a host's program in a story: what it asked for and was promised.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/gid.h"
#include "core/wire/sa_mad.h"
#include "tests/support/sim_world.h"

namespace ember::swarm {

/// Something that a client registers with the subnet administrator.
struct Wish {
    enum class Kind : std::uint8_t { kMember, kService, kSubscription };
    enum class State : std::uint8_t {
        kWanted,   ///< To be asked for, the first time or again.
        kHeld,     ///< Acknowledged, and nothing has happened since that ends it.
        kLeaving,  ///< To be taken back.
        kRefused,  ///< The administrator said no; asked again after a while.
    };
    Kind kind{};
    std::uint32_t id = 0;  ///< Of the group, service or subscription: see client.cc.
    State state = State::kWanted;
    Lid mlid = kNoLid;          ///< Of a group, as acknowledged.
    std::uint16_t status = 0;   ///< Of the last answer.
    std::uint64_t held_us = 0;  ///< When it was acknowledged.
    bool is_odd = false;        ///< Left as it is not what was asked for, and asked for anew.
};

/// Groups with ids below it make sense; group 0 is the broadcast group of IPoIB.
inline constexpr std::uint32_t kGroupIds = 5;
[[nodiscard]] Gid MgidOf(std::uint32_t id);

/// A program on a host, as IPoIB is one: it asks one question at a time and asks again until it is
/// answered. The program registers everything again when its port becomes ACTIVE, when its LID
/// changes and when it is told to by ClientReregister, and at no other time: whatever it was
/// acknowledged must hold until then. This plain model is what the subnet administrator owes.
class Client {
public:
    Client(testing::SimWorld& world, std::uint32_t node);

    [[nodiscard]] std::uint32_t node() const { return node_; }
    [[nodiscard]] std::uint32_t row() const { return row_; }
    [[nodiscard]] Guid guid() const;
    [[nodiscard]] Lid lid() const;
    [[nodiscard]] Lid master_lid() const;

    /// Hears what has come and asks what is due.
    void Step(std::uint64_t now_us);
    /// When Step() has something to do though nothing comes; ~0: never.
    [[nodiscard]] std::uint64_t NextDueUs() const;

    void Want(Wish::Kind kind, std::uint32_t id);
    void Drop(Wish::Kind kind, std::uint32_t id);
    void WantNothing();
    /// Wishes acknowledged at that time or later are asked for again.
    void LoseWhatIsHeldSince(std::uint64_t since_us);
    /// A Set(PortInfo) with ClientReregister came to this node.
    void RegisterAgain() { is_to_register_ = true; }
    [[nodiscard]] const std::vector<Wish>& wishes() const { return wishes_; }
    /// True when it was, or may have been, a member of that group at some time.
    [[nodiscard]] bool has_asked_for(std::uint32_t group) const {
        return (asked_groups_ >> group & 1U) != 0;
    }
    void NoteAskedFor(std::uint32_t group) { asked_groups_ |= 1U << group; }
    /// Everything wanted has been answered.
    [[nodiscard]] bool is_served() const;

    /// Says something raw, as attackers do.
    void SendRaw(const Mad& mad, Lid to, std::uint8_t queue_pair);
    /// A datagram to the subnet administrator, with a TransactionId of its own.
    [[nodiscard]] SaMad Question(Method method, SaAttribute attribute, std::uint64_t mask,
                                 std::span<const std::uint8_t> record);
    /// Asks whether a registration stands, as somebody whom `key` makes trusted. The answer comes
    /// later: see verdict().
    void Inquire(const Wish& wish, Guid owner, std::uint64_t key);
    /// The status of the answer to the last Inquire(); nullopt: none yet.
    [[nodiscard]] std::optional<std::uint16_t> verdict() const { return verdict_; }

private:
    void LookAtPort();
    void AskRefusedAgain(std::uint64_t now_us);
    void Hear(std::uint64_t now_us);
    void HearAnswer(const SaMad& mad, std::uint64_t now_us);
    void LeaveAgain(const Gid& mgid);
    void AskNext(std::uint64_t now_us);
    [[nodiscard]] SaMad QuestionOf(const Wish& wish);
    [[nodiscard]] Wish* Find(Wish::Kind kind, std::uint32_t id);

    testing::SimWorld& world_;
    sim::Attachment& port_;
    std::uint32_t node_;
    std::uint32_t row_;
    std::vector<Wish> wishes_;
    std::uint64_t serial_;
    std::uint32_t asked_groups_ = 0;
    bool is_active_ = false;
    bool is_to_register_ = false;
    Lid last_lid_ = kNoLid;
    // The question under way.
    bool is_asking_ = false;
    SaMad asked_{};
    Wish::Kind asked_kind_{};
    std::uint32_t asked_id_ = 0;
    bool asked_to_leave_ = false;
    std::uint64_t ask_again_us_ = 0;
    std::uint64_t pause_until_us_ = 0;
    std::uint64_t retry_us_ = 0;
    std::uint64_t inquiry_ = 0;
    std::optional<std::uint16_t> verdict_;
};

}  // namespace ember::swarm
