// SPDX-License-Identifier: Apache-2.0
// EmberSM: the records of opensm-sa.dump, a line each, and their fields.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/emberc/option_files/contents.h"
#include "config/emberc/option_files/line_reader.h"
#include "core/base/gid.h"
#include "core/fabric/sa_state.h"

namespace ember::emberc {

/// Reads the line at hand from left to right. The first mistake is reported and ends it: what is
/// read after that is 0, and ok() says so.
class RecordFields {
public:
    /// Begins behind the blanks at the front of the line.
    explicit RecordFields(LineReader& reader);

    [[nodiscard]] bool ok() const { return is_ok_; }

    /// Takes `text` if it stands here, and the blanks behind it.
    bool Take(std::string_view text);
    /// As Take(), and without it the line is wrong.
    void Expect(std::string_view text);
    /// The hexadecimal number that stands here alone.
    std::uint64_t Number(std::string_view what, std::uint64_t max);
    /// "name=0x12".
    std::uint64_t Field(std::string_view name, std::uint64_t max);
    /// "name=0x1:0x2", with a blank or without before it, as a GID.
    Gid GidField(std::string_view name);
    /// "name=0x0102:0x0304": two halves that together fill `octets`.
    void OctetsField(std::string_view name, std::span<std::uint8_t> octets);
    /// "name='text'", where what follows the text begins with `behind`; into the front of `octets`,
    /// which are 0.
    void TextField(std::string_view name, std::string_view behind, std::span<std::uint8_t> octets);
    /// Nothing may follow.
    void ExpectEnd();

    /// The word that was read last, for a caller that refuses its value.
    [[nodiscard]] const Word& last() const { return last_; }
    void Error(const Word& at, Code code, std::string text);
    void Warn(const Word& at, Code code, std::string text);

private:
    [[nodiscard]] std::string_view rest() const { return line_.substr(at_); }
    void SkipBlanks();
    [[nodiscard]] Word WordHere() const;
    [[nodiscard]] bool TakeName(std::string_view name);
    /// "0x" and digits; `end` must follow, or with '\0' a blank or the end.
    std::uint64_t Digits(std::string_view name, char end);

    LineReader& reader_;
    std::string_view line_;
    std::size_t at_ = 0;
    Word last_;
    bool is_ok_ = true;
};

/// A service of the file, and when it was told last.
struct DumpedService {
    ServiceEntry entry;
    std::uint64_t modified_s = 0;  ///< Seconds since 1970.
};

// Each takes the line at hand from behind the words that say what it is, and holds the values to
// what the switch takes. Nothing: that was reported.

/// "MC Group 0xc001 : mgid=...". The port it names is the group's creator, and is not kept.
[[nodiscard]] std::optional<GroupEntry> ReadGroup(RecordFields& fields);
/// "mcm_port: ...", of the group of `mgid`. Its owner is the port itself.
[[nodiscard]] std::optional<MemberEntry> ReadMember(RecordFields& fields, const SubnetFacts& subnet,
                                                    const Gid& mgid);
/// "GUIDInfo Record: ...": up to eight alias GUIDs of a port.
[[nodiscard]] std::optional<std::vector<AliasEntry>> ReadAliases(RecordFields& fields);
/// "Service Record: ...". Its owner is the port of its GID; its end counts from 1970.
[[nodiscard]] std::optional<DumpedService> ReadService(RecordFields& fields,
                                                       const SubnetFacts& subnet);
/// "InformInfo Record: ...". Reports go to the queue pair of its address.
[[nodiscard]] std::optional<SubscriptionEntry> ReadSubscription(RecordFields& fields,
                                                                const SubnetFacts& subnet);

}  // namespace ember::emberc
