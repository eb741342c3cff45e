// SPDX-License-Identifier: Apache-2.0
// EmberSM: what an image for QEMU's machine "virt" does.
#pragma once

#include <string_view>

#include "core/platform.h"
#include "platform/sim/fabric_sim.h"

namespace ember {

/// How the subnet manager's datagrams get to the simulated fabric.
class ImagePort {
public:
    [[nodiscard]] virtual MadPort& port() = 0;
    /// Lets what stands behind the port, and is no part of the subnet manager, do its work. Called
    /// before and after time passes.
    virtual void Turn() = 0;

protected:
    ~ImagePort() = default;
};

/// Makes the only one; `timer` tells real time. Memory may be lent for it.
using MakePort = ImagePort& (*)(sim::Attachment& fabric, const Clock& timer);

/// The fabric itself, with nothing in between.
[[nodiscard]] ImagePort& AttachDirectly(sim::Attachment& fabric, const Clock& timer);

/// Verifies the configuration in flash memory, composes a subnet manager and a simulated fabric of
/// 64 switches, brings the subnet up, says the summary over the UART, cuts a cable and looks
/// whether traffic heals. Keeps what it learns in flash, and begins with what it finds there.
/// Returns the verdict to exit with, a platform/bare Ending. To be called once.
///
/// `board` is for the first line.
[[nodiscard]] int RunImage(std::string_view board, MakePort make_port = AttachDirectly);

}  // namespace ember
