// SPDX-License-Identifier: Apache-2.0
// EmberSM: registrations that come with the configuration.
#include "core/administration/registrations/sa_file.h"

#include "core/administration/registrations/sa_frames.h"

namespace ember {
namespace {

/// Takes the entries of a frame. False: one does not tell what is there, or stands behind the end.
[[nodiscard]] bool HoldsStateOnly(std::span<const std::byte> entries, bool& is_complete) {
    while (!entries.empty()) {  // Ends: ReadFrame() has taken them all.
        if (is_complete) return false;
        switch (TakeEntry(entries).value().kind) {
            case SaEntryKind::kGroup:
            case SaEntryKind::kMember:
            case SaEntryKind::kAlias:
            case SaEntryKind::kService:
            case SaEntryKind::kSubscription:
                break;
            case SaEntryKind::kComplete:
                is_complete = true;
                break;
            case SaEntryKind::kGroupGone:
            case SaEntryKind::kMemberGone:
            case SaEntryKind::kAliasGone:
            case SaEntryKind::kServiceGone:
            case SaEntryKind::kSubscriptionGone:
            case SaEntryKind::kLids:
            case SaEntryKind::kLidsGone:
            case SaEntryKind::kMKeyRule:
            case SaEntryKind::kQuarantine:
            case SaEntryKind::kQuarantineGone:
            case SaEntryKind::kLidExit:
                return false;
        }
    }
    return true;
}

}  // namespace

bool IsSaFile(std::span<const std::byte> octets) {
    bool is_complete = false;
    std::uint32_t sequence = 0;
    while (!octets.empty()) {  // Ends: a frame is taken each time.
        const Result<SaFrame> frame = ReadFrame(octets);
        if (!frame.ok() || frame.value().bytes() > kMaxSaFileFrameBytes) return false;
        const SaFrameHead& head = frame.value().head;
        if (head.generation != 0 || head.sequence != sequence++) return false;
        if (!HoldsStateOnly(frame.value().entries, is_complete)) return false;
        octets = octets.subspan(frame.value().bytes());
    }
    return is_complete;
}

}  // namespace ember
