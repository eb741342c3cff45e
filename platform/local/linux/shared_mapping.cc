// SPDX-License-Identifier: Apache-2.0
// EmberSM: a mailbox in memory that is shared with the program that plays its device.

#include "platform/local/linux/shared_mapping.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>

namespace ember {

namespace {

constexpr std::size_t kFiles = 2;
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

/// An epoll that tells every time that `file` becomes readable, whether or not anybody reads it.
Descriptor EdgesOf(int file) {
    Descriptor edges(epoll_create1(EPOLL_CLOEXEC));
    epoll_event wanted{};
    wanted.events = EPOLLIN | EPOLLET;
    if (epoll_ctl(edges.number(), EPOLL_CTL_ADD, file, &wanted) != 0) return {};
    return edges;
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
    // Before it is cut to a std::size_t, which may have 32 bits.
    const auto file_bytes = static_cast<std::uint64_t>(facts.st_size);
    if (file_bytes < local::kRegisterBytes || file_bytes > kMostBytes) {
        return Broken(socket_path, "hands out memory of a size that no mailbox has");
    }
    const auto bytes = static_cast<std::size_t>(file_bytes);
    if (!memory_.Map(files[0].number(), bytes)) {
        return Broken(socket_path, "hands out memory that cannot be mapped");
    }
    connection_ = std::move(connection);
    interrupt_ = std::move(files[1]);
    edges_ = EdgesOf(interrupt_.number());
    if (edges_.number() < 0) return Broken(socket_path, "hands out an interrupt that is none");
    return {};
}

void SharedMapping::Acknowledge() {
    epoll_event edge{};
    // Nothing was there, or it is told now: both are fine.
    if (epoll_wait(edges_.number(), &edge, 1, 0) < 0) return;
}

void SharedMapping::Ring() {
    const char ring = 0;
    // A ring fails when the device has not answered hundreds of them, and then it has something to
    // wake up for anyway; or when it is gone, which the registers tell.
    if (send(connection_.number(), &ring, 1, MSG_DONTWAIT | MSG_NOSIGNAL) < 0) return;
}

}  // namespace ember
