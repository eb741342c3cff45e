// SPDX-License-Identifier: Apache-2.0
// EmberSM: a file that is begun where nothing may stand in its way.

#include "platform/linux/system/fresh_file.h"

#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

namespace ember {

int OpenFreshFile(int directory, const char* name, mode_t mode) {
    if (unlinkat(directory, name, 0) < 0 && errno != ENOENT) return -1;
    return openat(directory, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
}

}  // namespace ember
