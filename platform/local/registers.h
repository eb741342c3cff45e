// SPDX-License-Identifier: Apache-2.0
// EmberSM: the layout of the mailbox: registers, rings, descriptors. docs/mailbox.md draws it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/wire/mad.h"
#include "platform/local/words.h"

namespace ember::local {

inline constexpr std::uint32_t kMailboxMagic = 0x58424D45;  ///< "EMBX", read octet by octet.
inline constexpr std::uint32_t kMajorVersion = 1;  ///< Upper half of kVersion; must be known.

/// Registers, by byte offset. Every word has one writer, reading one changes nothing, and so a
/// register may as well be plain memory.
enum class Register : std::uint32_t {
    // Written by the device.
    kMagic = 0x00,
    kVersion = 0x04,       ///< Major version << 16 | minor version.
    kShape = 0x08,         ///< log2 of the descriptors: of the receive ring << 8 | of the other.
    kState = 0x0C,         ///< Epoch << 16 | DeviceState.
    kPortGuidHigh = 0x10,  ///< Of the management port; on a switch the NodeGUID.
    kPortGuidLow = 0x14,
    kLink = 0x18,             ///< PortInfo:PortState of the management port.
    kResetDone = 0x1C,        ///< kResetRequest as it was when the last reset ended.
    kTransmitHead = 0x20,     ///< Descriptors taken from the transmit ring, in this epoch.
    kReceiveTail = 0x24,      ///< Descriptors given to the receive ring, in this epoch.
    kTransmitRefused = 0x28,  ///< Taken and not sent: they made no sense. Since power on.
    kReceiveOverrun = 0x2C,   ///< Arrived and dropped: the receive ring was full. Since power on.
    // Written by the host.
    kControl = 0x80,        ///< Epoch << 16 | kEnable | kIsSm.
    kResetRequest = 0x84,   ///< Any other number than before: reset, please.
    kInterruptMask = 0x88,  ///< kArrival | kEvent.
    kTransmitTail = 0x8C,   ///< Doorbell: descriptors given to the transmit ring.
    kReceiveHead = 0x90,    ///< Doorbell: descriptors taken from the receive ring.
};

/// The device's state, as kState has it.
enum class DeviceState : std::uint16_t {
    kResetting = 0,
    kAwaitingHost = 1,  ///< Indices are 0; waits for kControl with kEnable and the epoch of kState.
    kRunning = 2,
    kBroken = 3,  ///< The device found a fault of its own and wants to be reset.
};

inline constexpr std::uint32_t kEnable = 1U << 0U;
inline constexpr std::uint32_t kIsSm = 1U << 1U;  ///< PortInfo:CapabilityMask.IsSM of the port.

inline constexpr std::uint32_t kArrival = 1U << 0U;  ///< While kReceiveTail is not kReceiveHead.
inline constexpr std::uint32_t kEvent = 1U << 1U;    ///< While broken, or not in kControl's epoch.

inline constexpr std::size_t kRegisterBytes = 4096;
inline constexpr unsigned kLeastRingLog2 = 2;
inline constexpr unsigned kMostRingLog2 = 12;

/// Words of a descriptor, by index; the datagram stands in kMadWord and the words behind it, octet
/// n in bits 8 * (n % 4) and up of word n / 4.
enum DescriptorWord : std::size_t {
    kSequenceWord = 0,  ///< Epoch << 16 | the lower half of its index. Written last.
    kCheckWord = 1,     ///< Checksum() of sequence and all words from kLengthWord on.
    kLengthWord = 2,    ///< Octets of the datagram: 256.
    kLidsWord = 3,      ///< Own LID << 16 | the peer's LID.
    kRemoteQpWord = 4,  ///< The peer's queue pair, 24 bits.
    kPathWord = 5,      ///< Status << 24 | port of arrival << 16 | SL << 8 | own queue pair.
    kKeyWord = 6,       ///< Answer within, in ms << 16 | P_Key index.
    kMadWord = 16,
};
inline constexpr std::size_t kDescriptorWords = kMadWord + kMadOctets / 4;
inline constexpr std::size_t kDescriptorBytes = kDescriptorWords * 4;
static_assert(kDescriptorBytes == 320);

/// A descriptor as the processor holds it, each word in its own byte order.
using Descriptor = std::array<std::uint32_t, kDescriptorWords>;

/// The kSequenceWord of descriptor `index` in epoch `epoch`. No epoch is 0, so neither is it.
[[nodiscard]] constexpr std::uint32_t SequenceOf(std::uint32_t epoch, std::uint32_t index) {
    return epoch << 16U | (index & 0xFFFFU);
}

/// Two running sums over sequence and content, as Fletcher's, modulo 2^32: a descriptor of which
/// some words are new and some are old, or which stands in another's place, does not fit.
[[nodiscard]] constexpr std::uint32_t Checksum(const Descriptor& descriptor) {
    std::uint32_t sum = descriptor[kSequenceWord];
    std::uint32_t sums = sum;
    for (std::size_t i = kLengthWord; i < kDescriptorWords; ++i) {
        sum += descriptor[i];
        sums += sum;
    }
    return sum ^ (sums << 16U | sums >> 16U);
}

/// The number of descriptors of either ring.
struct Shape {
    unsigned transmit_log2 = 0;
    unsigned receive_log2 = 0;

    [[nodiscard]] static constexpr Shape Of(std::uint32_t word) {
        return {word & 0xFFU, word >> 8U & 0xFFU};
    }
    [[nodiscard]] constexpr std::uint32_t word() const {
        return receive_log2 << 8U | transmit_log2;
    }
    [[nodiscard]] constexpr bool IsSound() const {
        return transmit_log2 >= kLeastRingLog2 && transmit_log2 <= kMostRingLog2 &&
               receive_log2 >= kLeastRingLog2 && receive_log2 <= kMostRingLog2;
    }
    [[nodiscard]] constexpr std::uint32_t transmit() const { return 1U << transmit_log2; }
    [[nodiscard]] constexpr std::uint32_t receive() const { return 1U << receive_log2; }
    /// Registers, then the transmit ring, then the receive ring. Only when IsSound().
    [[nodiscard]] constexpr std::size_t WindowBytes() const {
        return kRegisterBytes + (std::size_t{transmit()} + receive()) * kDescriptorBytes;
    }
};

/// The mailbox as the processor sees it: registers and rings, from the first octet on. The mapping
/// lets both sides see what the other wrote without further ado: as device memory, uncached, or
/// coherent. Accesses are of 32 bits and aligned, so device memory of Arm will do.
struct MailboxWindow {
    std::span<Word> words{};

    /// A plain pointer: for a machine without an operating system, at the address that its board
    /// knows. `address` is a multiple of 4.
    [[nodiscard]] static MailboxWindow At(void* address, std::size_t bytes) {
        return {{static_cast<Word*>(address), bytes / sizeof(Word)}};
    }
    [[nodiscard]] Word& At(Register which) const {
        return words[static_cast<std::size_t>(which) / sizeof(Word)];
    }
    /// The descriptor `index` of the transmit ring.
    [[nodiscard]] std::span<Word, kDescriptorWords> Transmit(Shape shape,
                                                             std::uint32_t index) const {
        return Slot(index & (shape.transmit() - 1));
    }
    /// The descriptor `index` of the receive ring.
    [[nodiscard]] std::span<Word, kDescriptorWords> Receive(Shape shape,
                                                            std::uint32_t index) const {
        return Slot(std::size_t{shape.transmit()} + (index & (shape.receive() - 1)));
    }

private:
    [[nodiscard]] std::span<Word, kDescriptorWords> Slot(std::size_t number) const {
        return words.subspan(kRegisterBytes / sizeof(Word) + number * kDescriptorWords)
            .first<kDescriptorWords>();
    }
};

}  // namespace ember::local
