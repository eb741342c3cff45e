// SPDX-License-Identifier: Apache-2.0
// EmberSM: what emberc has to say about a file, and where.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "config/emberc/diagnostic_codes.h"

namespace ember::emberc {

enum class Severity {
    kNote,     ///< Worth knowing; never changes an exit status.
    kWarning,  ///< Accepted, but probably not what was meant.
    kError,    ///< No blob is written.
};

/// Where a diagnostic points. Lines and columns count from 1, columns in octets; line 0 is the file
/// as a whole.
struct Place {
    std::size_t line = 0;
    std::size_t column = 0;
    std::size_t length = 1;
};

struct Diagnostic {
    Severity severity = Severity::kError;
    Place place;
    Code code{};  ///< Stable and short, for scripts: Code::kUnknownKey.
    std::string text;
    std::string source;  ///< The line it points to.
};

/// Everything found in one file, in the order in which it was found.
class Diagnostics {
public:
    explicit Diagnostics(std::string file) : file_(std::move(file)) {}

    void Add(Diagnostic diagnostic);

    /// By place, so that a reader goes down the file once.
    void Sort();

    [[nodiscard]] const std::string& file() const { return file_; }
    [[nodiscard]] const std::vector<Diagnostic>& all() const { return all_; }
    [[nodiscard]] std::size_t CountOf(Severity severity) const;

private:
    std::string file_;
    std::vector<Diagnostic> all_;
};

/// Whether a text has the colours of a terminal in it, and nothing else that it would obey.
enum class Paint { kPlain, kColours };

/// "file:line:column: error: text [code]", the line, and a caret; one after the other. Without its
/// colours the text is octet for octet the plain one.
[[nodiscard]] std::string RenderText(const Diagnostics& diagnostics, Paint paint = Paint::kPlain);

/// The same for several files, one after the other.
[[nodiscard]] std::string RenderText(std::span<const Diagnostics> files,
                                     Paint paint = Paint::kPlain);

/// In all files together.
[[nodiscard]] std::size_t CountOf(std::span<const Diagnostics> files, Severity severity);

/// "2 errors, 1 warning".
[[nodiscard]] std::string Summary(std::span<const Diagnostics> files);

/// The same facts as an array of objects.
[[nodiscard]] nlohmann::json RenderJson(std::span<const Diagnostics> files);

}  // namespace ember::emberc
