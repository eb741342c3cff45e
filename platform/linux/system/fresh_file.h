// SPDX-License-Identifier: Apache-2.0
// EmberSM: a file that is begun where nothing may stand in its way.
#pragma once

#include <sys/types.h>

namespace ember {

/// Takes away what has the name in the directory `directory`, an open descriptor, and makes an
/// empty file of that name for writing, with `mode` less the umask. What others put there (a
/// symbolic link, a hard link to a file of theirs) is never written to. Uses no heap. Returns the
/// descriptor, or -1, and errno tells why.
[[nodiscard]] int OpenFreshFile(int directory, const char* name, mode_t mode);

}  // namespace ember
