// SPDX-License-Identifier: Apache-2.0
// EmberSM: traps in words.

#include "core/discovery/trap_notes.h"

#include <bit>

#include "core/base/assert.h"
#include "core/fabric/link_end.h"
#include "core/log/words.h"

namespace ember {
namespace {

static_assert(kLinkErrorWords.size() ==
              1U + Raw(TrapNumber::kFlowControlWatchdog) - Raw(TrapNumber::kLocalLinkIntegrity));

/// NodeGUID of the node that owns `lid`; kNoGuid: no node does.
[[nodiscard]] Guid OwnerOf(const Fabric& fabric, Lid lid) {
    return EndOf(fabric, fabric.PortByLid(lid)).guid;
}

[[nodiscard]] LocalChange ChangeIn(const LocalChangesNotice& notice) {
    if (notice.Get(LocalChangesNotice::kOtherLocalChanges) == 0) return LocalChange::kCapabilities;
    const struct {
        bool holds;
        LocalChange change;
    } flags[] = {
        {notice.Get(LocalChangesNotice::kNodeDescriptionChange) != 0, LocalChange::kDescription},
        {notice.Get(LocalChangesNotice::kLinkWidthEnabledChange) != 0,
         LocalChange::kLinkWidthEnabled},
        {notice.Get(LocalChangesNotice::kLinkSpeedEnabledChange) != 0,
         LocalChange::kLinkSpeedEnabled},
        {notice.Get(LocalChangesNotice::kSmPriorityChange) != 0, LocalChange::kSmPriority},
    };
    LocalChange change = LocalChange::kUnknown;
    for (const auto& flag : flags) {
        if (!flag.holds) continue;
        change = change == LocalChange::kUnknown ? flag.change : LocalChange::kSeveral;
    }
    return change;
}

/// A trap, and the log in which it is noted.
struct TrapNotes {
    Log& log;
    const Fabric& fabric;
    const Notice& notice;
    PortIndex issuer;
    std::uint64_t now_us;

    [[nodiscard]] Guid guid() const { return EndOf(fabric, issuer).guid; }

    void WritePortErrors(TrapNumber number) const {
        EMBER_ASSERT(number >= TrapNumber::kLocalLinkIntegrity);
        EMBER_ASSERT(number <= TrapNumber::kFlowControlWatchdog);
        const auto details = std::bit_cast<PortErrorNotice>(notice);
        const NodeIndex node = fabric.port(issuer).node;
        const PortNumber named = details.Get(PortErrorNotice::kPortNo);
        const PortIndex at = fabric.PortOf(node, named);
        const PortIndex far = at != kNoPortIndex ? fabric.port(at).peer : kNoPortIndex;
        const LinkEnd peer = EndOf(fabric, far);
        log.WriteSparingly<Note::kTrapPortErrors>(
            now_us, number, guid(), named, peer.guid, peer.port,
            Raw(number) - Raw(TrapNumber::kLocalLinkIntegrity));
    }
    void WriteMKey() const {
        const auto details = std::bit_cast<MKeyNotice>(notice);
        const Lid sender = details.Get(MKeyNotice::kLidAddr);
        log.WriteSparingly<Note::kTrapMKey>(now_us, guid(), sender, OwnerOf(fabric, sender),
                                            details.Get(MKeyNotice::kMethod),
                                            details.Get(MKeyNotice::kAttributeId));
    }
    template <Note kNote>
    void WriteKey() const {
        const auto details = std::bit_cast<KeyNotice>(notice);
        const Lid sender = details.Get(KeyNotice::kLidAddr1);
        log.WriteSparingly<kNote>(now_us, guid(), details.Get(KeyNotice::kKey), sender,
                                  OwnerOf(fabric, sender), details.Get(KeyNotice::kLidAddr2));
    }
    void WriteSwitchPKey() const {
        const auto details = std::bit_cast<SwitchPKeyNotice>(notice);
        const Lid sender = details.Get(SwitchPKeyNotice::kLidAddr1);
        log.WriteSparingly<Note::kTrapSwitchPKey>(
            now_us, guid(), details.Get(SwitchPKeyNotice::kPortNo),
            details.Get(SwitchPKeyNotice::kPKey), sender, OwnerOf(fabric, sender),
            details.Get(SwitchPKeyNotice::kLidAddr2));
    }
    void WriteNumbers() const {
        log.WriteSparingly<Note::kTrapReceived>(
            now_us, notice.Get(Notice::kTrapNumber), guid(), notice.Get(Notice::kIssuerLid),
            notice.Get(Notice::kProducerType), notice.Get(Notice::kDataDetails0));
    }
    void Write() const;
};

void TrapNotes::Write() const {
    const auto number = notice.Get(Notice::kTrapNumber);
    if (notice.Get(Notice::kIsGeneric) == 0) return WriteNumbers();
    switch (number) {
        case TrapNumber::kLinkStateChange:
            return log.WriteSparingly<Note::kTrapLinkState>(now_us, guid());
        case TrapNumber::kLocalLinkIntegrity:
        case TrapNumber::kExcessiveBufferOverrun:
        case TrapNumber::kFlowControlWatchdog:
            return WritePortErrors(number);
        case TrapNumber::kLocalChanges:
            return log.WriteSparingly<Note::kTrapLocalChanges>(
                now_us, guid(), ChangeIn(std::bit_cast<LocalChangesNotice>(notice)));
        case TrapNumber::kSystemImageGuidChange:
            return log.WriteSparingly<Note::kTrapSystemImageGuid>(
                now_us, guid(),
                std::bit_cast<SystemImageGuidNotice>(notice).Get(
                    SystemImageGuidNotice::kSystemImageGuid));
        case TrapNumber::kBadMKey:
            return WriteMKey();
        case TrapNumber::kBadPKey:
            return WriteKey<Note::kTrapPKey>();
        case TrapNumber::kBadQKey:
            return WriteKey<Note::kTrapQKey>();
        case TrapNumber::kBadPKeyAtSwitch:
            return WriteSwitchPKey();
        case TrapNumber::kInService:  // The SA itself issues 64 to 67; no node sends them.
        case TrapNumber::kOutOfService:
        case TrapNumber::kMulticastCreated:
        case TrapNumber::kMulticastDeleted:
            break;
    }
    WriteNumbers();
}

}  // namespace

void NoteTrap(Log& log, const Fabric& fabric, const Notice& notice, PortIndex issuer,
              std::uint64_t now_us) {
    TrapNotes{log, fabric, notice, issuer, now_us}.Write();
}

}  // namespace ember
