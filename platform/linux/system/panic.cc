// SPDX-License-Identifier: Apache-2.0
// EmberSM: the last words of this incarnation.

#include "platform/linux/system/panic.h"

#include <array>
#include <charconv>
#include <cstdlib>
#include <string_view>
#include <sys/uio.h>
#include <unistd.h>

#include "core/base/assert.h"

namespace ember {

namespace {

int also_to = -1;

iovec Piece(std::string_view text) {
    // writev() does not write through it, but its type comes from the days before const.
    return {const_cast<char*>(text.data()), text.size()};  // NOLINT
}

}  // namespace

void SetPanicDescriptor(int descriptor) {
    also_to = descriptor;
}

void Panic(const char* file, int line, const char* claim) {
    std::array<char, 16> digits{};
    const char* const end = std::to_chars(digits.data(), digits.data() + digits.size(), line).ptr;
    const std::string_view number(digits.data(), static_cast<std::size_t>(end - digits.data()));
    const std::array<iovec, 7> pieces = {
        Piece("embersm: panic: "),       Piece(file),  Piece(":"), Piece(number),
        Piece(": this does not hold: "), Piece(claim), Piece("\n")};
    for (const int descriptor : {STDERR_FILENO, also_to}) {
        if (descriptor < 0) continue;
        // A failed write changes nothing: the process ends.
        if (writev(descriptor, pieces.data(), static_cast<int>(pieces.size())) < 0) continue;
    }
    std::abort();
}

}  // namespace ember
