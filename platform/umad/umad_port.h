// SPDX-License-Identifier: Apache-2.0
// EmberSM: the management port of a Linux HCA or switch, through libibumad.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/ids.h"
#include "core/base/status.h"
#include "core/platform.h"

namespace ember {

/// Which port to attach to. Fields left at their defaults are chosen as OpenSM chooses.
struct UmadChoice {
    std::string_view ca{};  ///< Name of the device, as in /sys/class/infiniband; empty: any.
    int port = -1;          ///< Number of the port on that device; -1: any.
    Guid guid = kNoGuid;    ///< Port GUID; kNoGuid: any. OpenSM option `guid`.
};

/// Why a port could not be opened, apart enough to give each its own exit status.
enum class UmadFault : std::uint8_t {
    kNone,
    kNoDevice,      ///< No InfiniBand device.
    kNoSuchPort,    ///< There are ports, and none fits the choice.
    kNoPermission,  ///< The device files may not be opened by this user.
    kOccupied,      ///< Another subnet manager holds the port.
    kBroken,        ///< The driver refused for another reason.
};

/// The outcome of UmadPort::Open().
struct UmadOpening {
    UmadFault fault = UmadFault::kNone;
    std::string sentence;  ///< For the operator, no full stop; when opened, the port's name.
    Guid port_guid = kNoGuid;
    bool link_is_up = false;  ///< The physical link; when down the port is open all the same.
};

/// Counters of what never reaches the core.
struct UmadStatistics {
    std::uint64_t sent = 0;
    std::uint64_t received = 0;
    std::uint64_t returned = 0;   ///< Our own datagrams, handed back by the driver as timed out.
    std::uint64_t malformed = 0;  ///< Shorter than a MAD.
    std::uint64_t refused = 0;    ///< Sends that the driver refused and that count as lost.
    std::uint64_t busy = 0;       ///< Sends put off because the driver's queue was full.
};

/// A MadPort over libibumad: a real HCA or switch, or ibsim through a preload.
///
/// Open() may use the heap. Send() and Receive() do not, never block, and cost one system call
/// each: nothing asks beforehand whether data is there. The kernel delivers an answer only to a
/// request that was sent with a time-out, so Envelope::answer_within_us is passed on, without
/// retries; what the kernel hands back as timed out is dropped, because the core keeps time.
class UmadPort final : public MadPort {
public:
    UmadPort() = default;
    UmadPort(const UmadPort&) = delete;
    UmadPort& operator=(const UmadPort&) = delete;
    ~UmadPort() { Close(); }

    /// Finds the port, registers for kServedClasses, and raises IsSM, in this order.
    [[nodiscard]] UmadOpening Open(const UmadChoice& choice);

    /// Lowers IsSM and gives the port back. Harmless when nothing is open.
    void Close();

    Status Send(const Envelope& envelope) override;
    Status Receive(Envelope& envelope) override;

    /// The file descriptor to wait on; -1 when the driver below is a preload whose descriptors the
    /// kernel does not know. Then WaitForArrival() has to do.
    [[nodiscard]] int descriptor() const { return kernel_knows_it_ ? fd_ : -1; }

    /// Waits until something arrives, at most `at_most_us`. For ports without a descriptor().
    /// False: nothing has.
    bool WaitForArrival(std::uint64_t at_most_us) const;

    [[nodiscard]] const UmadStatistics& statistics() const { return statistics_; }

private:
    static constexpr std::size_t kUmadHeader = 64;
    static constexpr int kNoAgent = -1;
    /// By row of kServedClasses.
    using Agents = std::array<int, kServedClasses.size()>;
    [[nodiscard]] static constexpr Agents NoAgents() {
        Agents agents{};
        agents.fill(kNoAgent);
        return agents;
    }

    [[nodiscard]] UmadOpening Register(const char* ca, int port);
    [[nodiscard]] UmadOpening RaiseIsSm(const char* ca, int port);
    [[nodiscard]] std::uint8_t QueuePairOf(int agent) const;
    Status AfterFailedSend(int error);

    int fd_ = -1;
    int issm_fd_ = -1;
    Agents agents_ = NoAgents();
    bool kernel_knows_it_ = false;
    UmadStatistics statistics_;
    alignas(8) std::array<std::uint8_t, kUmadHeader + kMadOctets> outgoing_{};
    alignas(8) std::array<std::uint8_t, kUmadHeader + kMadOctets> incoming_{};
};

}  // namespace ember
