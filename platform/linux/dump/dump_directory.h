// SPDX-License-Identifier: Apache-2.0
// EmberSM: a dump into a directory of this machine.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "platform/linux/dump/dump_sink.h"

namespace ember {

/// Writes files into a directory, under a name that ends in ".new" until they are complete; what
/// has that name already is taken away, and no link is followed. Uses no heap; the directory is
/// opened by name once, so it may be relative.
class DumpDirectory final : public DumpSink {
public:
    DumpDirectory() = default;
    DumpDirectory(const DumpDirectory&) = delete;
    DumpDirectory& operator=(const DumpDirectory&) = delete;
    ~DumpDirectory() { Close(); }

    /// kDevice, also below: error() says why.
    Status Open(const char* directory);
    /// A file that is not complete keeps its unfinished name.
    void Close();
    /// An errno: why the last thing failed.
    [[nodiscard]] int error() const { return error_; }

    Status Begin(std::string_view name, bool holds_keys) override;
    Status Write(std::string_view& text) override;
    Status End() override;

private:
    Status Fail();

    static constexpr std::size_t kNameBytes = 64;

    int directory_ = -1;
    int file_ = -1;
    int error_ = 0;
    std::array<char, kNameBytes> name_{};
    std::array<char, kNameBytes> unfinished_{};
};

}  // namespace ember
