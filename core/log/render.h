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
#include "core/log/log.h"

namespace ember {

/// Longest name of a node: a whole NodeDescription.
inline constexpr std::size_t kMaxNameOctets = 64;
/// Longest sentence with its values and two names: a buffer of this size is never too small.
inline constexpr std::size_t kMaxRenderedOctets = 480;

/// The names of nodes, for Render().
class NameSource {
public:
    /// Writes the name of a node to the front of `room`, at most kMaxNameOctets, and returns its
    /// length in octets; 0: the node has no name. `guid` is its NodeGUID or the PortGUID of one of
    /// its end ports. The name is printable ASCII without quotation marks, whatever the
    /// NodeDescription holds.
    [[nodiscard]] virtual std::size_t NameOf(Guid guid, std::span<char> room) const = 0;

protected:
    ~NameSource() = default;
};

/// Words that Render() needs beside the values of a record.
struct Vocabulary {
    std::span<const std::string_view> engines;  ///< The names for {engine}, by index.
    const NameSource* names = nullptr;          ///< The names behind {guid}; nullptr: GUIDs only.
};

/// Writes the sentence of the record, with its blanks filled, to the front of `text` and returns
/// the part written. There is no terminating zero; a text that does not fit is cut off. An index
/// beyond a table of words is written as "#" and the number, a GUID as `0x0002c90300a1b2c4
/// "leaf-2"`.
[[nodiscard]] std::string_view Render(const LogRecord& record, const Vocabulary& vocabulary,
                                      std::span<char> text);

/// Writes one value as Render() does, but a GUID without its name. Cut off like a sentence.
[[nodiscard]] std::string_view RenderValue(BlankKind kind, std::uint64_t value,
                                           const Vocabulary& vocabulary, std::span<char> text);

/// "debug", "info", "warning", "error".
[[nodiscard]] std::string_view WordOf(Severity severity);
/// The severity of such a word; kAbsent for any other text.
Result<Severity> SeverityOf(std::string_view word);

}  // namespace ember
