// SPDX-License-Identifier: Apache-2.0
// EmberSM: blobs as files on the host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "config/blob/container.h"
#include "config/emberc/key_pair.h"

namespace ember::emberc {

/// A blob taken apart without a look at its signature.
struct BlobParts {
    BlobHeader header;
    std::vector<std::byte> payload;
    bool is_signed = false;
    bool has_header = true;  ///< False: the file is a bare payload.
};

/// Takes apart a blob, signed or not, or a bare payload (a FlatBuffers file "EMBR"). Throws
/// std::runtime_error with a sentence when it is neither.
[[nodiscard]] BlobParts TakeApart(std::span<const std::byte> file);

/// Puts a blob together; unsigned when `key` is null. Throws when it would be too large.
[[nodiscard]] std::vector<std::byte> PutTogether(std::span<const std::byte> payload,
                                                 std::uint64_t counter, const KeyPair* key);

}  // namespace ember::emberc
