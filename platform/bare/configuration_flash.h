// SPDX-License-Identifier: Apache-2.0
// EmberSM: the configuration blob in a region of flash memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace ember::bare {

/// Copies the blob at the front of `flash` to `room` and returns how many octets were programmed
/// there, for ReadBlob() to judge; nothing here decides whether they are to be believed.
///
/// Flash memory has no file sizes: how long the blob is, its own header says
/// (config/blob/container.h). The length is believed only as far as flash and room go. Octets that
/// were never programmed read 0xFF: a region that begins so holds no blob (0), and a blob whose
/// last `kSignatureBytes` are all so was cut short while it was written: what is returned then ends
/// before them, so that the verdict is "truncated" and not "forged". Octets that are no header at
/// all are copied as far as one goes.
///
/// `flash` is read once, by aligned words, so that what is verified is what is used. Both `flash`
/// and `room` begin at a multiple of 4.
[[nodiscard]] std::size_t ReadConfiguration(const volatile std::uint32_t* flash,
                                            std::size_t flash_bytes, std::span<std::byte> room);

}  // namespace ember::bare
