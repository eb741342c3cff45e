// SPDX-License-Identifier: Apache-2.0
// EmberSM: notes as text, for platforms: no heap, no printf, no locale.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "core/base/ids.h"
#include "core/base/status.h"
#include "core/log/blanks.h"
#include "core/log/journal.h"

namespace ember {

/// Longest name of a node that is told: that of a NodeDescription.
inline constexpr std::size_t kMaxNameOctets = 64;
/// Longest sentence with its values and two names in it: a buffer of this size is never too small.
inline constexpr std::size_t kMaxRenderedOctets = 480;

/// What people call the nodes, for whoever renders.
class NameSource {
public:
    /// Writes the name of the node that has the NodeGUID, or an end port with the PortGUID, `guid`
    /// to the front of `room`, at most kMaxNameOctets of it, and returns how many octets that are;
    /// 0: it has no name. The name is printable ASCII without quotation marks, whatever the node
    /// says of itself.
    [[nodiscard]] virtual std::size_t NameOf(Guid guid, std::span<char> room) const = 0;

protected:
    ~NameSource() = default;
};

/// What values alone do not say.
struct Vocabulary {
    std::span<const std::string_view> engines;  ///< Answers {engine}.
    const NameSource* names = nullptr;          ///< Stands behind {guid}; nullptr: GUIDs only.
};

/// Writes the record's sentence, its blanks filled, to the front of `text` and returns the part
/// written. No terminating zero; what does not fit is cut off. An index beyond a table of words is
/// written as "#" and the number; a GUID as `0x0002c90300a1b2c4 "leaf-2"`.
[[nodiscard]] std::string_view Render(const Record& record,
                                      const Vocabulary& vocabulary,
                                      std::span<char> text);

/// Writes one value as the sentence has it, but a GUID without its name.
[[nodiscard]] std::string_view RenderValue(BlankKind kind,
                                           std::uint64_t value,
                                           const Vocabulary& vocabulary,
                                           std::span<char> text);

/// "debug", "info", "warning", "error".
[[nodiscard]] std::string_view WordOf(Severity severity);
/// The severity of that word; kAbsent when it is none.
Result<Severity> SeverityOf(std::string_view word);

}  // namespace ember
