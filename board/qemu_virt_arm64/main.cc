// SPDX-License-Identifier: Apache-2.0
// EmberSM: QEMU's machine "virt" with a 64-bit ARM processor, without an operating system.

#include "board/qemu_virt/run_image.h"

int main() {
    return ember::RunImage("qemu_virt_arm64");
}
