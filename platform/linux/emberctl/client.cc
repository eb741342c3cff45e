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

namespace ember::ctl {

namespace {

class Connection {
public:
    Connection(const std::string& path, int seconds) : path_(path) {
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
            throw Trouble(kUnreachable, Explain(error));
        }
        const timeval patience{seconds, 0};
        setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    }
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;
    ~Connection() { close(fd_); }

    void Send(const std::string& line) {
        std::size_t sent = 0;
        while (sent < line.size()) {
            const ssize_t count = send(fd_, line.data() + sent, line.size() - sent, MSG_NOSIGNAL);
            if (count <= 0) throw Trouble(kUnreachable, "the subnet manager hung up");
            sent += static_cast<std::size_t>(count);
        }
    }

    /// Up to `end`, and with it; or, from one who would not, up to the end of the first line.
    std::string Receive(const std::string& end) {
        std::string line;
        std::array<char, 4096> piece{};
        const auto is_complete = [&] {
            const bool is_object = !line.empty() && line.front() == '{';
            return line.find(is_object ? "\n" : end) != std::string::npos;
        };
        while (!is_complete()) {
            const ssize_t count = recv(fd_, piece.data(), piece.size(), 0);
            if (count < 0 && errno == EINTR) continue;
            if (count < 0 && errno == EAGAIN) {
                throw Trouble(kUnreachable, "the subnet manager took too long to answer");
            }
            if (count <= 0) throw Trouble(kUnreachable, "the subnet manager hung up");
            line.append(piece.data(), static_cast<std::size_t>(count));
        }
        return line;
    }

private:
    [[nodiscard]] std::string Explain(int error) const {
        if (error == ENOENT || error == ECONNREFUSED) {
            return fmt::format("no subnet manager serves {} (is embersm running?)", path_);
        }
        if (error == EACCES || error == EPERM) {
            return fmt::format("no permission to use {}: it belongs to the user who runs embersm",
                               path_);
        }
        return fmt::format("cannot connect to {}: {}", path_, std::strerror(error));
    }

    std::string path_;
    int fd_ = -1;
};

}  // namespace

std::string Ask(const std::string& socket, const std::string& line, int seconds) {
    Connection connection(socket, seconds);
    connection.Send(line + "\n");
    std::string answer = connection.Receive("\n");
    answer.resize(answer.find('\n'));
    return answer;
}

std::string AskForPage(const std::string& socket,
                       const std::string& line,
                       const std::string& last,
                       int seconds) {
    Connection connection(socket, seconds);
    connection.Send(line + "\n");
    return connection.Receive("\n" + last + "\n");
}

}  // namespace ember::ctl
