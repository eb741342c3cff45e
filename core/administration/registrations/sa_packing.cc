// SPDX-License-Identifier: Apache-2.0
// EmberSM: frames of the journal as standbys receive them: each entry as what differs.
#include "core/administration/registrations/sa_packing.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "core/base/assert.h"

namespace ember {
namespace {

constexpr std::size_t kGroupOctets = 8;
constexpr std::size_t kMostGroups = kMaxSaBodyBytes / kGroupOctets;
static_assert(kMaxSaBodyBytes % kGroupOctets == 0);
/// Where MemberEntry has `owner`; `port_guid` is the group before.
constexpr std::size_t kOwnerGroup = offsetof(MemberEntry, owner) / kGroupOctets;
static_assert(offsetof(MemberEntry, owner) % kGroupOctets == 0);
static_assert(offsetof(MemberEntry, port_guid) + kGroupOctets == offsetof(MemberEntry, owner));

[[nodiscard]] constexpr std::size_t GroupsOf(std::size_t body_bytes) {
    return (body_bytes + kGroupOctets - 1) / kGroupOctets;
}

/// Up to eight octets, zeros behind them.
using Group = std::array<std::byte, kGroupOctets>;

[[nodiscard]] Group GroupAt(std::span<const std::byte> body, std::size_t number) {
    Group group{};
    const std::size_t at = number * kGroupOctets;
    if (at >= body.size()) return group;
    const std::size_t octets = std::min(kGroupOctets, body.size() - at);
    if (octets == kGroupOctets) {
        std::memcpy(group.data(), body.data() + at, kGroupOctets);  // A single instruction.
    } else {
        std::memcpy(group.data(), body.data() + at, octets);
    }
    return group;
}

[[nodiscard]] bool AreAlike(const Group& one, const Group& other) {
    return std::bit_cast<std::uint64_t>(one) == std::bit_cast<std::uint64_t>(other);
}

/// The last body of each kind in a frame.
class LastBodies {
public:
    [[nodiscard]] std::span<const std::byte> Of(SaEntryKind kind) const {
        return bodies_[static_cast<std::size_t>(kind)];
    }
    void Set(SaEntryKind kind, std::span<const std::byte> body) {
        bodies_[static_cast<std::size_t>(kind)] = body;
    }

private:
    static constexpr std::size_t kKinds = static_cast<std::size_t>(SaEntryKind::kLidExit) + 1;
    std::array<std::span<const std::byte>, kKinds> bodies_{};
};

/// The group that group `number` is compared with. Of `body` the groups before it are known.
[[nodiscard]] Group ReferenceOf(SaEntryKind kind, std::size_t number,
                                std::span<const std::byte> body,
                                std::span<const std::byte> before) {
    const bool is_owner = kind == SaEntryKind::kMember && number == kOwnerGroup;
    return is_owner ? GroupAt(body, number - 1) : GroupAt(before, number);
}

/// An entry, packed; or less of it, if it is longer than there is room. Returns its octets; 0:
/// there is no room.
[[nodiscard]] std::size_t PackEntry(const SaEntry& entry, std::span<const std::byte> before,
                                    std::span<std::byte> out) {
    const std::size_t groups = GroupsOf(entry.body.size());
    std::size_t used = 1 + GroupsOf(groups);
    if (used + groups + entry.body.size() > out.size()) return 0;
    std::fill_n(out.begin(), used, std::byte{0});
    out[0] = static_cast<std::byte>(entry.kind);
    for (std::size_t number = 0; number < groups; ++number) {
        const Group now = GroupAt(entry.body, number);
        const Group then = ReferenceOf(entry.kind, number, entry.body, before);
        if (AreAlike(now, then)) continue;
        out[1 + number / 8] |= std::byte{1} << (number % 8);
        std::byte& mask = out[used++];
        mask = std::byte{0};
        for (std::size_t i = 0; i < kGroupOctets; ++i) {
            if (now[i] == then[i]) continue;
            mask |= std::byte{1} << i;
            out[used++] = now[i];
        }
    }
    return used;
}

/// Takes octets off the front of what is left of a packed frame.
class Unpacker {
public:
    explicit Unpacker(std::span<const std::byte> packed) : left_(packed) {}
    [[nodiscard]] bool empty() const { return left_.empty(); }
    /// kMalformed: there is none.
    Status Take(std::byte& octet) {
        if (left_.empty()) return Status::kMalformed;
        octet = left_.front();
        left_ = left_.subspan(1);
        return Status::kOk;
    }
    /// Makes `group` from what it is compared with, of which it has `octets`.
    Status TakeGroup(Group& group, std::size_t octets) {
        std::byte mask{};
        EMBER_TRY(Take(mask));
        const auto bits = std::to_integer<std::uint32_t>(mask);
        if (bits == 0 || bits >> octets != 0) return Status::kMalformed;
        for (std::size_t i = 0; i < octets; ++i) {
            const bool differs = (bits >> i & 1U) != 0;
            if (differs && Take(group[i]) != Status::kOk) return Status::kMalformed;
        }
        return Status::kOk;
    }

private:
    std::span<const std::byte> left_;
};

/// The body of an entry of `kind`, all of whose octets are those of `body`.
Status UnpackBody(Unpacker& from, SaEntryKind kind, std::span<const std::byte> before,
                  std::span<std::byte> body) {
    const std::size_t groups = GroupsOf(body.size());
    std::array<std::byte, GroupsOf(kMostGroups)> differ{};
    for (std::size_t i = 0; i < GroupsOf(groups); ++i) {
        if (from.Take(differ[i]) != Status::kOk) return Status::kMalformed;
    }
    for (std::size_t number = groups; number < GroupsOf(groups) * 8; ++number) {
        const std::byte bit = std::byte{1} << (number % 8);
        if ((differ[number / 8] & bit) != std::byte{0}) return Status::kMalformed;
    }
    for (std::size_t number = 0; number < groups; ++number) {
        const std::size_t at = number * kGroupOctets;
        const std::size_t octets = std::min(kGroupOctets, body.size() - at);
        Group group = ReferenceOf(kind, number, body, before);
        const std::byte bit = std::byte{1} << (number % 8);
        const bool differs = (differ[number / 8] & bit) != std::byte{0};
        if (differs && from.TakeGroup(group, octets) != Status::kOk) return Status::kMalformed;
        std::memcpy(body.data() + at, group.data(), octets);
    }
    return Status::kOk;
}

}  // namespace

Result<std::size_t> PackFrame(std::span<const std::byte> frame, std::span<std::byte> packed) {
    EMBER_ASSERT(frame.size() >= sizeof(SaFrameHead));
    std::size_t used = sizeof(SaFrameHead);
    if (packed.size() < used) return Status::kFull;
    const std::span<std::byte> out = packed.first(std::min(packed.size(), frame.size()));
    std::memcpy(out.data(), frame.data(), used);
    const Be<std::uint32_t> magic = kPackedMagic;
    std::memcpy(out.data(), &magic, sizeof(magic));
    LastBodies last;
    std::span<const std::byte> entries = frame.subspan(used);
    while (!entries.empty()) {  // Ends: an entry is taken each time.
        const Result<SaEntry> entry = TakeEntry(entries);
        if (!entry.ok()) return Status::kFull;  // The receiver says that it is none.
        const SaEntryKind kind = entry.value().kind;
        const std::size_t octets = PackEntry(entry.value(), last.Of(kind), out.subspan(used));
        if (octets == 0) return Status::kFull;
        used += octets;
        last.Set(kind, entry.value().body);
    }
    return used < frame.size() ? Result<std::size_t>(used) : Result<std::size_t>(Status::kFull);
}

bool IsPacked(std::span<const std::byte> octets) {
    Be<std::uint32_t> magic;
    if (octets.size() < sizeof(magic)) return false;
    std::memcpy(&magic, octets.data(), sizeof(magic));
    return magic == kPackedMagic;
}

Result<std::size_t> UnpackFrame(std::span<const std::byte> packed, std::span<std::byte> frame) {
    std::size_t used = sizeof(SaFrameHead);
    if (!IsPacked(packed) || packed.size() < used || frame.size() < used) return Status::kMalformed;
    std::memcpy(frame.data(), packed.data(), used);
    const Be<std::uint32_t> magic = SaFrameHead::kMagic;
    std::memcpy(frame.data(), &magic, sizeof(magic));
    LastBodies last;
    Unpacker from(packed.subspan(used));
    while (!from.empty()) {  // Ends: an octet is taken each time.
        SaEntryHead head;
        std::byte kind{};
        if (from.Take(kind) != Status::kOk) return Status::kMalformed;
        head.kind = static_cast<SaEntryKind>(kind);
        const std::size_t body_bytes = BodyBytes(head.kind);
        const std::size_t room = frame.size() - used;
        if (body_bytes > kMaxSaBodyBytes || sizeof(head) + body_bytes > room) {
            return Status::kMalformed;
        }
        head.octets = static_cast<std::uint8_t>(body_bytes);
        std::memcpy(frame.data() + used, &head, sizeof(head));
        const std::span<std::byte> body = frame.subspan(used + sizeof(head), body_bytes);
        const Status unpacked = UnpackBody(from, head.kind, last.Of(head.kind), body);
        if (unpacked != Status::kOk) return unpacked;
        last.Set(head.kind, body);
        used += sizeof(head) + body_bytes;
    }
    return used;
}

Status PackingLog::Append(std::span<const std::byte> octets) {
    EMBER_ASSERT(octets.size() >= sizeof(SaFrameHead));
    // Not packed in vain each time that it is asked again.
    if (below_.Commit() == Status::kBusy) return Status::kBusy;
    const Result<std::size_t> packed = PackFrame(octets, buffer_);
    EMBER_TRY(below_.Append(packed.ok() ? buffer_.first(packed.value()) : octets));
    entries_ = CountEntries(octets.subspan(sizeof(SaFrameHead)));
    return Status::kOk;
}

}  // namespace ember
