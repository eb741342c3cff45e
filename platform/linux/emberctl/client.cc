// SPDX-License-Identifier: Apache-2.0
// EmberSM: emberctl's end of the control socket.

#include "platform/linux/emberctl/client.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "platform/linux/emberctl/interrupt.h"

namespace ember::ctl {

namespace {

std::string Explain(const std::string& path, int error) {
    if (error == ENOENT || error == ECONNREFUSED) {
        return fmt::format("no subnet manager serves {} (is embersm running?)", path);
    }
    if (error == EACCES || error == EPERM) {
        return fmt::format("no permission to use {}: it belongs to the user who runs embersm",
                           path);
    }
    return fmt::format("cannot connect to {}: {}", path, std::strerror(error));
}

}  // namespace

Connection::Connection(const std::string& path, int seconds) : path_(path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.size() >= sizeof(address.sun_path)) {
        throw Trouble(kUsage, fmt::format("the path {} is too long for a socket", path));
    }
    std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
    fd_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const void* const generic = &address;
    if (fd_ < 0 || connect(fd_, static_cast<const sockaddr*>(generic), sizeof(address)) < 0) {
        const int error = errno;
        if (fd_ >= 0) close(fd_);
        throw Trouble(kUnreachable, Explain(path, error));
    }
    const timeval patience{seconds, 0};
    setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
}

Connection::~Connection() {
    close(fd_);
}

void Connection::Send(const std::string& line) {
    std::size_t sent = 0;
    while (sent < line.size()) {
        const ssize_t count = send(fd_, line.data() + sent, line.size() - sent, MSG_NOSIGNAL);
        if (count <= 0) throw Trouble(kUnreachable, "the subnet manager hung up");
        sent += static_cast<std::size_t>(count);
    }
}

std::string Connection::Line() {
    std::size_t end = heard_.find('\n', taken_);
    while (end == std::string::npos) {
        Receive();
        end = heard_.find('\n', taken_);
    }
    std::string line = heard_.substr(taken_, end - taken_);
    taken_ = end + 1;
    return line;
}

std::string Connection::Octets(std::size_t at_most) {
    while (taken_ == heard_.size()) {
        Receive();
    }
    std::string octets = heard_.substr(taken_, at_most);
    taken_ += octets.size();
    return octets;
}

/// More than there was.
void Connection::Receive() {
    heard_.erase(0, taken_);
    taken_ = 0;
    std::array<char, 65536> piece{};
    for (;;) {  // Ends with octets, or with a trouble.
        const ssize_t count = recv(fd_, piece.data(), piece.size(), 0);
        if (count < 0 && errno == EINTR) {
            Interrupt::Check();
            continue;
        }
        if (count < 0 && errno == EAGAIN) {
            throw Trouble(kUnreachable, "the subnet manager took too long to answer");
        }
        if (count <= 0) throw Trouble(kUnreachable, "the subnet manager hung up");
        heard_.append(piece.data(), static_cast<std::size_t>(count));
        return;
    }
}

std::string Ask(const std::string& socket, const std::string& line, int seconds) {
    Connection connection(socket, seconds);
    connection.Send(line + "\n");
    return connection.Line();
}

std::string AskForPage(const std::string& socket, const std::string& line, const std::string& last,
                       int seconds) {
    Connection connection(socket, seconds);
    connection.Send(line + "\n");
    std::string page;
    for (std::string next; next != last;) {
        next = connection.Line();
        page += next + "\n";
        if (page.front() == '{') return page;
    }
    return page;
}

}  // namespace ember::ctl
