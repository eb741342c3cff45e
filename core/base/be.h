// SPDX-License-Identifier: Apache-2.0
// EmberSM: values in the byte order of the wire.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <type_traits>

namespace ember {

static_assert(std::endian::native == std::endian::little ||
              std::endian::native == std::endian::big);

/// An enumeration, scoped or not.
template <typename T>
concept Enum = std::is_enum_v<T>;

/// Unsigned integers, and enumerations over them, may travel on the wire.
template <typename T>
concept WireScalar = std::unsigned_integral<T> || Enum<T>;

/// The integer a WireScalar is made of.
template <typename T>
struct RepOf {
    using Type = T;
};
template <Enum T>
struct RepOf<T> {
    using Type = std::underlying_type_t<T>;
};

/// A value stored most significant octet first, as InfiniBand stores everything.
///
/// The storage is octets, so the alignment is 1: a struct of Be<> members has no padding and needs
/// no packing attribute. The byte order is part of the type: every read and write converts, so no
/// conversion can be forgotten.
template <WireScalar T>
class Be {
public:
    constexpr Be() = default;
    // NOLINTNEXTLINE(google-explicit-constructor): a Be<T> stands wherever a T does.
    constexpr Be(T value) : octets_(std::bit_cast<Octets>(Flip(std::bit_cast<Rep>(value)))) {}
    // NOLINTNEXTLINE(google-explicit-constructor): a Be<T> is read as a T.
    constexpr operator T() const { return std::bit_cast<T>(Flip(std::bit_cast<Rep>(octets_))); }

private:
    using Rep = typename RepOf<T>::Type;
    struct Octets {
        std::uint8_t octet[sizeof(T)];
    };

    static constexpr Rep Flip(Rep rep) {
        if constexpr (std::endian::native == std::endian::big || sizeof(Rep) == 1) {
            return rep;
        } else if constexpr (sizeof(Rep) == 2) {
            return __builtin_bswap16(rep);
        } else if constexpr (sizeof(Rep) == 4) {
            return __builtin_bswap32(rep);
        } else {
            return __builtin_bswap64(rep);
        }
    }

    Octets octets_{};
};

/// A type that may be laid over a received buffer: octets only, no padding, nothing to construct.
template <typename T>
concept WireStruct = std::is_standard_layout_v<T> && std::is_trivially_copyable_v<T> &&
                     std::has_unique_object_representations_v<T> && alignof(T) == 1;

}  // namespace ember
