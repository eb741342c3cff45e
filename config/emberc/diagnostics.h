// SPDX-License-Identifier: Apache-2.0
// EmberSM: what emberc has to say about a file, and where.
#pragma once

#include <bitset>
#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "config/emberc/diagnostic_codes.h"

namespace ember::emberc {

enum class Severity {
    kNote,     ///< Worth knowing; never changes an exit status.
    kAllowed,  ///< A warning that the site has allowed: counted by itself, never as a warning.
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

using CodeSet = std::bitset<kCodes.size()>;

/// The verdicts of a site on kinds of diagnostics.
struct Verdicts {
    CodeSet allowed;  ///< Warnings of these codes are no longer warnings.
    CodeSet denied;   ///< Warnings and notes of these are errors; goes before.
};

/// Everything found in one file, in the order in which it was found.
class Diagnostics {
public:
    explicit Diagnostics(std::string file) : file_(std::move(file)) {}

    void Add(Diagnostic diagnostic);

    /// Makes notes of all that was said so far: the file counts for nothing.
    void Soften();

    /// Judges all that was said of the file so far by `verdicts`. An error stays one.
    void Judge(const Verdicts& verdicts);

    /// The file itself allows warnings of this code.
    void AllowHere(Code code) { allowed_here_.set(static_cast<std::size_t>(code)); }
    [[nodiscard]] const CodeSet& allowed_here() const { return allowed_here_; }

    /// By place, so that a reader goes down the file once.
    void Sort();

    [[nodiscard]] const std::string& file() const { return file_; }
    [[nodiscard]] const std::vector<Diagnostic>& all() const { return all_; }
    [[nodiscard]] std::size_t CountOf(Severity severity) const;

private:
    std::string file_;
    std::vector<Diagnostic> all_;
    CodeSet allowed_here_;
};

/// Whether a text has the colours of a terminal in it, and nothing else that it would obey.
enum class Paint { kPlain, kColours };

/// Which diagnostics people want to see.
enum class Showing {
    kUrgent,  ///< Errors and warnings.
    kAll,     ///< Notes, and what was allowed, too.
};

/// "file:line:column: error: text [code]", the line, and a caret; one after the other. Without its
/// colours the text is octet for octet the plain one.
[[nodiscard]] std::string RenderText(const Diagnostics& diagnostics, Paint paint = Paint::kPlain,
                                     Showing showing = Showing::kAll);

/// The same for several files, one after the other.
[[nodiscard]] std::string RenderText(std::span<const Diagnostics> files,
                                     Paint paint = Paint::kPlain, Showing showing = Showing::kAll);

/// In all files together.
[[nodiscard]] std::size_t CountOf(std::span<const Diagnostics> files, Severity severity);

/// Nothing was said of any of them.
[[nodiscard]] bool AreSilent(std::span<const Diagnostics> files);

/// "2 errors, 1 warning"; where there are such, ", 3 notes (-v shows them), 1 allowed".
[[nodiscard]] std::string Summary(std::span<const Diagnostics> files,
                                  Showing showing = Showing::kUrgent);

/// The same facts as an array of objects.
[[nodiscard]] nlohmann::json RenderJson(std::span<const Diagnostics> files);

}  // namespace ember::emberc
