// SPDX-License-Identifier: Apache-2.0
// EmberSM: the machine's watchdog, which resets it when signs of life cease.
#pragma once

#include <cstdint>
#include <string>

namespace ember {

/// A device of Linux's watchdog interface, such as /dev/watchdog. From Open() on the machine is
/// reset unless KeepAlive() is called in time. Only Disarm() stops that: a process that dies leaves
/// the watchdog counting.
class Watchdog {
public:
    static constexpr std::uint32_t kLeastSeconds = 5;
    static constexpr std::uint32_t kMostSeconds = 3600;

    /// ioctl(2) with a number behind the pointer; a test puts its own in the place.
    using Control = int (*)(int fd, unsigned long request, int* seconds);  // NOLINT: as ioctl(2).

    explicit Watchdog(Control control = &AskKernel) : control_(control) {}
    Watchdog(const Watchdog&) = delete;
    Watchdog& operator=(const Watchdog&) = delete;
    ~Watchdog() { Abandon(); }

    /// Opens and so starts it. Asks for a reset after `seconds` of silence; what the device grants
    /// instead is taken if it lies within the bounds above and is more than `more_than_s`. Empty:
    /// it counts; else one sentence, and it does not.
    [[nodiscard]] std::string Open(const std::string& device, std::uint32_t seconds,
                                   std::uint32_t more_than_s = 0);
    [[nodiscard]] bool is_open() const { return fd_ >= 0; }
    /// Between the last sign of life and the reset.
    [[nodiscard]] std::uint32_t seconds() const { return seconds_; }

    /// A sign of life.
    void KeepAlive() const;
    /// An orderly end: the machine goes on without it, unless its kernel was built not to let go.
    void Disarm();
    /// Lets go of the device without a word, and so leaves it counting: for a child that has
    /// inherited it.
    void Abandon();

private:
    static int AskKernel(int fd, unsigned long request, int* seconds);  // NOLINT: as ioctl(2).
    [[nodiscard]] std::string SetTime(const std::string& device, std::uint32_t seconds,
                                      std::uint32_t more_than_s);

    Control control_;
    int fd_ = -1;
    std::uint32_t seconds_ = 0;
};

}  // namespace ember
