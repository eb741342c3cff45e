// SPDX-License-Identifier: Apache-2.0
// EmberSM: the board's image with a mailbox between subnet manager and fabric: platform/local
// drives it, and the chip behind it is emulated.

#include <array>
#include <cstddef>
#include <cstdint>

#include "board/qemu_virt/run_image.h"
#include "core/base/assert.h"
#include "core/log/fixed_text.h"
#include "platform/bare/uart.h"
#include "platform/common/late.h"
#include "platform/local/mailbox_port.h"
#include "tests/asic/asic.h"

namespace ember {
namespace {

constexpr local::Shape kShape = {.transmit_log2 = 7, .receive_log2 = 8};
/// Turns that a reset takes at most.
constexpr int kMostTurns = 100;

/// The window: RAM that the memory map has as a device's, uncached, so that no access to it may be
/// unaligned; not cleared at the start. The driver and the chip see each other here and nowhere
/// else.
[[gnu::section(".device")]] alignas(64) std::array<std::byte, kShape.WindowBytes()> window_room;

/// Driver and chip. The chip needs no doorbell: it looks at its registers when it has its turn.
class MailboxInMemory final : public ImagePort {
public:
    MailboxInMemory(MadPort& fabric, const Clock& timer)
        : window_(local::MailboxWindow::At(window_room.data(), window_room.size())),
          asic_(window_, kShape, Guid{0x0002C90300000001}),
          bridge_(asic_, fabric),
          port_(window_, timer, nullptr) {}

    [[nodiscard]] MadPort& port() override { return port_; }
    void Turn() override {
        asic_.Doorbell();
        EMBER_ASSERT(bridge_.Turn() == Status::kOk);
    }
    /// The reset that a driver begins with.
    [[nodiscard]] bool Start() {
        if (port_.Open() != Status::kOk) return false;
        for (int i = 0; i < kMostTurns && port_.Poll() == Status::kBusy; ++i) {
            Turn();
        }
        return port_.Poll() == Status::kOk;
    }
    [[nodiscard]] const MailboxStatistics& statistics() const { return port_.statistics(); }

private:
    local::MailboxWindow window_;
    testing::Asic asic_;
    testing::AsicBridge bridge_;
    MailboxPort port_;
};
Late<MailboxInMemory> mailbox;

ImagePort& AttachByMailbox(sim::Attachment& fabric, const Clock& timer) {
    MailboxInMemory& made = mailbox.Make(fabric, timer);
    EMBER_ASSERT(made.Start());
    return made;
}

void SayMailbox() {
    const MailboxStatistics& counts = mailbox.Get().statistics();
    std::array<char, 256> room{};
    FixedText text(room);
    text.Add("mailbox: ").AddNumber(counts.sent).Add(" sent, ").AddNumber(counts.received);
    text.Add(" received, ").AddNumber(counts.torn + counts.malformed + counts.returned);
    text.Add(" dropped, ").AddNumber(counts.refused + counts.overrun).Add(" lost, ");
    text.AddNumber(counts.device_resets + counts.asked_resets).Add(" resets\n");
    bare::Say(text.text());
}

}  // namespace
}  // namespace ember

int main() {
    const int status = ember::RunImage("qemu_virt with a mailbox", ember::AttachByMailbox);
    if (status <= 1) ember::SayMailbox();
    return status;
}
