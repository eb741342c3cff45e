// SPDX-License-Identifier: Apache-2.0
// EmberSM: a dump into a directory of this machine.

#include "platform/linux/dump/dump_directory.h"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <unistd.h>
#include <utility>

#include "core/base/assert.h"
#include "core/log/fixed_text.h"
#include "platform/linux/system/files.h"

namespace ember {

Status DumpDirectory::Open(const char* directory) {
    Close();
    directory_ = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return directory_ >= 0 ? Status::kOk : Fail();
}

void DumpDirectory::Close() {
    if (file_ >= 0) close(std::exchange(file_, -1));
    if (directory_ >= 0) close(std::exchange(directory_, -1));
}

Status DumpDirectory::Begin(std::string_view name, bool holds_keys) {
    if (file_ >= 0) close(std::exchange(file_, -1));
    FixedText(name_).Add(name).Add('\0');
    FixedText unfinished(unfinished_);
    unfinished.Add(name).Add(".new").Add('\0');
    EMBER_ASSERT(!unfinished.full());
    file_ = OpenFreshFile(directory_, unfinished_.data(), holds_keys ? 0600 : 0644);
    return file_ >= 0 ? Status::kOk : Fail();
}

Status DumpDirectory::Write(std::string_view& text) {
    while (!text.empty()) {  // Ends: every turn writes at least one octet or gives up.
        const ssize_t wrote = write(file_, text.data(), text.size());
        if (wrote < 0 && errno == EINTR) continue;
        if (wrote <= 0) return Fail();
        text.remove_prefix(static_cast<std::size_t>(wrote));
    }
    return Status::kOk;
}

Status DumpDirectory::End() {
    if (close(std::exchange(file_, -1)) < 0) return Fail();
    const int renamed = renameat(directory_, unfinished_.data(), directory_, name_.data());
    return renamed == 0 ? Status::kOk : Fail();
}

Status DumpDirectory::Fail() {
    error_ = errno;
    return Status::kDevice;
}

}  // namespace ember
