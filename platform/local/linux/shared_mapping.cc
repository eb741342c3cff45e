// SPDX-License-Identifier: Apache-2.0
// EmberSM: a mailbox in memory that is shared with the program that plays its device.

#include "platform/local/linux/shared_mapping.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>

namespace ember {

namespace {

constexpr std::size_t kFiles = 3;
constexpr std::size_t kMostBytes = std::size_t{64} << 20U;

MailboxOpening Broken(const std::string& path, const char* what) {
    return {MailboxFault::kBroken, path + " " + what};
}

/// The greeting. Every descriptor that comes is owned, whether or not it was expected.
bool ReceiveFiles(int connection, std::array<Descriptor, kFiles>& files) {
    SharedMailboxGreeting greeting{0};
    iovec text{&greeting, sizeof(greeting)};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(kFiles * sizeof(int))> room{};
    msghdr message{};
    message.msg_iov = &text;
    message.msg_iovlen = 1;
    message.msg_control = room.data();
    message.msg_controllen = room.size();
    const ssize_t octets = recvmsg(connection, &message, MSG_CMSG_CLOEXEC);
    std::size_t count = 0;
    const cmsghdr* const control = octets < 0 ? nullptr : CMSG_FIRSTHDR(&message);
    if (control != nullptr && control->cmsg_level == SOL_SOCKET &&
        control->cmsg_type == SCM_RIGHTS) {
        count = (control->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (std::size_t i = 0; i < count; ++i) {  // At most as many as there is room for.
            int number = -1;
            std::memcpy(&number, CMSG_DATA(control) + i * sizeof(int), sizeof(int));
            if (i < kFiles) files[i] = Descriptor(number);
        }
    }
    return octets == sizeof(greeting) && greeting.magic == SharedMailboxGreeting::kMagic &&
           count == kFiles && (message.msg_flags & MSG_CTRUNC) == 0;
}

void NeverBlock(int file) {
    fcntl(file, F_SETFL, fcntl(file, F_GETFL) | O_NONBLOCK);
}

}  // namespace

MailboxOpening SharedMapping::Open(const std::string& socket_path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (socket_path.size() >= sizeof(address.sun_path)) {
        return Broken(socket_path, "is too long for the path of a socket");
    }
    std::memcpy(address.sun_path, socket_path.data(), socket_path.size());
    Descriptor connection(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
    const timeval patience{2, 0};
    setsockopt(connection.number(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    const auto* const generic = static_cast<const sockaddr*>(static_cast<const void*>(&address));
    if (connect(connection.number(), generic, sizeof(address)) != 0) {
        const int error = errno;
        return {error == EACCES ? MailboxFault::kNoPermission : MailboxFault::kNoDevice,
                "nobody answers behind " + socket_path + ": " + std::strerror(error)};
    }
    std::array<Descriptor, kFiles> files;
    if (!ReceiveFiles(connection.number(), files)) {
        return Broken(socket_path, "does not hand out a mailbox");
    }
    struct stat facts {};
    const int seals = fcntl(files[0].number(), F_GET_SEALS);
    if (seals < 0 || (seals & F_SEAL_SHRINK) == 0 || fstat(files[0].number(), &facts) != 0) {
        return Broken(socket_path, "hands out memory that could be taken away");
    }
    const auto bytes = static_cast<std::size_t>(facts.st_size);
    if (bytes < local::kRegisterBytes || bytes > kMostBytes) {
        return Broken(socket_path, "hands out memory of a size that no mailbox has");
    }
    if (!memory_.Map(files[0].number(), bytes)) {
        return Broken(socket_path, "hands out memory that cannot be mapped");
    }
    connection_ = std::move(connection);
    interrupt_ = std::move(files[1]);
    bell_ = std::move(files[2]);
    NeverBlock(interrupt_.number());
    NeverBlock(bell_.number());
    return {};
}

void SharedMapping::Acknowledge() {
    std::uint64_t count = 0;
    // Nothing was there, or it is gone now: both are fine.
    if (read(interrupt_.number(), &count, sizeof(count)) < 0) return;
}

void SharedMapping::Ring() {
    const std::uint64_t one = 1;
    // It fails when the counter is full, and then the device has something to wake up for anyway.
    if (write(bell_.number(), &one, sizeof(one)) < 0) return;
}

}  // namespace ember
