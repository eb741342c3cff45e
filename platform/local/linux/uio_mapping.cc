// SPDX-License-Identifier: Apache-2.0
// EmberSM: a mailbox behind a device file of Linux's user-space I/O.

#include "platform/local/linux/uio_mapping.h"

#include <array>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <sys/file.h>

namespace ember {

namespace {

MailboxOpening FromErrno(const std::string& what, int error) {
    const std::string sentence = "cannot open " + what + ": " + std::strerror(error);
    if (error == EACCES || error == EPERM) return {MailboxFault::kNoPermission, sentence};
    if (error == ENOENT || error == ENODEV || error == ENXIO) {
        return {MailboxFault::kNoDevice, sentence};
    }
    return {MailboxFault::kBroken, sentence};
}

/// A number as sysfs writes it, "0x" and hexadecimal digits. False: there is none.
bool ReadNumber(const std::string& path, std::size_t& number) {
    const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (file.number() < 0) return false;
    std::array<char, 64> text{};
    const ssize_t octets = read(file.number(), text.data(), text.size());
    if (octets < 3 || text[0] != '0' || text[1] != 'x') return false;
    const auto [stop, error] = std::from_chars(text.data() + 2, text.data() + octets, number, 16);
    return error == std::errc{} && (stop == text.data() + octets || *stop == '\n');
}

}  // namespace

MailboxOpening UioMapping::Open(const std::string& device, const std::string& sysfs) {
    const std::string name = device.substr(device.rfind('/') + 1);
    Descriptor file(open(device.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC));
    if (file.number() < 0) return FromErrno(device, errno);
    const std::string map = sysfs + "/" + name + "/maps/map0/";
    std::size_t bytes = 0;
    std::size_t offset = 0;
    if (!ReadNumber(map + "size", bytes)) {
        return {MailboxFault::kNoDevice, device + " is no UIO device: there is no " + map + "size"};
    }
    if (ReadNumber(map + "offset", offset) && offset != 0) {
        return {MailboxFault::kBroken, "the first map of " + device + " is not aligned to a page"};
    }
    if (flock(file.number(), LOCK_EX | LOCK_NB) != 0) {
        return {MailboxFault::kOccupied, "another process holds " + device + ": stop it first"};
    }
    const int memory = file.number();
    return Adopt(memory, std::move(file), bytes, device);
}

MailboxOpening UioMapping::Adopt(int memory, Descriptor interrupts, std::size_t bytes,
                                 const std::string& name) {
    std::uint32_t count = 0;
    if (read(interrupts.number(), &count, sizeof(count)) < 0 && errno != EAGAIN) {
        return {MailboxFault::kBroken, name + " has no interrupt: " + std::strerror(errno)};
    }
    if (!memory_.Map(memory, bytes)) return FromErrno("the registers of " + name, errno);
    interrupts_ = std::move(interrupts);
    return {};
}

void UioMapping::Arm() {
    if (!is_masked_ || !needs_arming_) return;
    const std::uint32_t on = 1;
    needs_arming_ = write(interrupts_.number(), &on, sizeof(on)) == sizeof(on);
    is_masked_ = false;
}

void UioMapping::Acknowledge() {
    std::uint32_t count = 0;
    if (read(interrupts_.number(), &count, sizeof(count)) == sizeof(count)) is_masked_ = true;
}

}  // namespace ember
