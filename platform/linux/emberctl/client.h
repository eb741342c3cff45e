// SPDX-License-Identifier: Apache-2.0
// EmberSM: emberctl's end of the control socket.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>

namespace ember::ctl {

/// Something that ends emberctl with a sentence and an exit status.
class Trouble : public std::runtime_error {
public:
    Trouble(int status, const std::string& sentence)
        : std::runtime_error(sentence), status_(status) {}
    [[nodiscard]] int status() const { return status_; }

private:
    int status_;
};

inline constexpr int kRefused = 1;      ///< The subnet manager would not.
inline constexpr int kUsage = 2;        ///< The command line makes no sense.
inline constexpr int kUnreachable = 3;  ///< The socket has no listener.
inline constexpr int kUnwritable = 4;   ///< A file cannot be written.

/// A connection with the subnet manager. Everything throws Trouble(kUnreachable) when the other end
/// hangs up or takes too long.
class Connection {
public:
    /// `seconds`: how long to wait for the next octets.
    Connection(const std::string& path, int seconds);
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;
    ~Connection();

    void Send(const std::string& line);
    /// The next line, without its end.
    [[nodiscard]] std::string Line();
    /// The next octets, some, `at_most` so many.
    [[nodiscard]] std::string Octets(std::size_t at_most);

private:
    void Receive();

    std::string path_;
    int fd_ = -1;
    std::string heard_;  ///< Octets that came, from `taken_` on not handed out yet.
    std::size_t taken_ = 0;
};

/// Sends one line to the subnet manager at `socket` and returns its answer, a line of JSON. Throws
/// Trouble when the socket has no listener, or no answer comes within `seconds`.
[[nodiscard]] std::string Ask(const std::string& socket, const std::string& line, int seconds);

/// As Ask(), for an answer of several lines of which the last one is `last`. An answer that begins
/// with a brace is in JSON after all, and ends with its line.
[[nodiscard]] std::string AskForPage(const std::string& socket, const std::string& line,
                                     const std::string& last, int seconds);

}  // namespace ember::ctl
