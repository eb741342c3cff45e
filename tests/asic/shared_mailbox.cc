// SPDX-License-Identifier: Apache-2.0
// EmberSM: the giving end of a shared mailbox.
#include "tests/asic/shared_mailbox.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "platform/local/linux/shared_mapping.h"

namespace ember::testing {

namespace {

std::string Failed(const char* what) {
    return std::string(what) + ": " + std::strerror(errno);
}

}  // namespace

SharedMailbox::~SharedMailbox() {
    if (!path_.empty()) unlink(path_.c_str());
}

std::string SharedMailbox::Listen(const std::string& path, std::size_t bytes) {
    file_ = Descriptor(memfd_create("mailbox", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    if (ftruncate(file_.number(), static_cast<off_t>(bytes)) != 0) return Failed("memory");
    if (!memory_.Map(file_.number(), bytes)) return Failed("mmap");
    interrupt_ = Descriptor(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    listener_ = Descriptor(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::string fresh = path + ".new";
    if (fresh.size() >= sizeof(address.sun_path)) return path + " is too long";
    std::memcpy(address.sun_path, fresh.data(), fresh.size());
    const auto* const generic = static_cast<const sockaddr*>(static_cast<const void*>(&address));
    if (bind(listener_.number(), generic, sizeof(address)) != 0) return Failed("bind");
    path_ = fresh;
    if (listen(listener_.number(), 1) != 0) return Failed("listen");
    // Under its name only now: who finds it there can connect.
    if (rename(fresh.c_str(), path.c_str()) != 0) return Failed("rename");
    path_ = path;
    return {};
}

std::string SharedMailbox::Accept(const Flaws& flaws) {
    connection_ = Descriptor(accept4(listener_.number(), nullptr, nullptr, SOCK_CLOEXEC));
    if (connection_.number() < 0) return Failed("accept");
    if (!flaws.unsealed && fcntl(file_.number(), F_ADD_SEALS, F_SEAL_SHRINK) != 0) {
        return Failed("seal");
    }
    SharedMailboxGreeting greeting;
    greeting.magic += flaws.magic_change;
    iovec text{&greeting, sizeof(greeting)};
    const std::array<int, 2> files{file_.number(), interrupt_.number()};
    const std::size_t count = flaws.no_interrupt ? 1 : 2;
    alignas(cmsghdr) std::array<char, CMSG_SPACE(2 * sizeof(int))> room{};
    msghdr message{};
    message.msg_iov = &text;
    message.msg_iovlen = 1;
    message.msg_control = room.data();
    message.msg_controllen = CMSG_SPACE(count * sizeof(int));
    cmsghdr* const control = CMSG_FIRSTHDR(&message);
    control->cmsg_level = SOL_SOCKET;
    control->cmsg_type = SCM_RIGHTS;
    control->cmsg_len = CMSG_LEN(count * sizeof(int));
    std::memcpy(CMSG_DATA(control), files.data(), count * sizeof(int));
    const ssize_t sent = sendmsg(connection_.number(), &message, MSG_NOSIGNAL);
    return sent == sizeof(greeting) ? std::string() : Failed("sendmsg");
}

bool SharedMailbox::AnswerBell() const {
    char ring = 0;
    bool rang = false;
    while (recv(connection_.number(), &ring, 1, MSG_DONTWAIT) > 0) {  // Ends: the host is slower.
        rang = true;
    }
    return rang;
}

void SharedMailbox::Interrupt() const {
    const std::uint64_t one = 1;
    if (write(interrupt_.number(), &one, sizeof(one)) < 0) return;  // The counter is full.
}

}  // namespace ember::testing
