// SPDX-License-Identifier: Apache-2.0
// EmberSM: what an opensm.conf sets: values, defaults, secrets, and what may be lost of it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "config/emberc/diagnostics.h"
#include "config/emberc/value.h"

namespace ember::emberc {

enum class Access;  // files.h has it.

/// A key: what it is set to, and where.
struct Setting {
    Value value;
    bool written = false;  ///< In the file; otherwise `value` is the default.
    Place place;           ///< Of the key, if written.
    Place value_place;     ///< Of the value, if written.
    std::string source;    ///< The line of `place`.
};

/// A line of the file names what the key is about, whatever its name; "(null)" names nothing.
[[nodiscard]] inline bool IsNamed(const Setting& setting) {
    return setting.written && setting.value.set;
}

/// All keys, in the order of Keys().
using Conf = std::vector<Setting>;

/// Every key at its default.
[[nodiscard]] const Conf& DefaultConf();

/// Whether `value` is the default of that key, or, for the name of a file, the default of an OpenSM
/// that was built for another folder.
[[nodiscard]] bool IsDefault(std::size_t key, const Value& value);

/// True for a value by which a host could manage ports or be trusted: m_key, sm_key and sa_key,
/// when they are not what they are everywhere. `at` is a row of Keys().
[[nodiscard]] bool IsSecret(std::size_t at, const Value& value);

/// The access to a blob of these values: its owner's alone when it holds a secret, as a blob is not
/// encrypted.
[[nodiscard]] Access AccessTo(const std::vector<Value>& values);

/// The options --allow, --deny and --without-partitions: keys whose effect is given up, and codes
/// of diagnostics.
struct Allowances {
    std::vector<std::string> keys;    ///< And codes whose warnings are allowed.
    std::vector<std::string> denied;  ///< Codes whose diagnostics are errors.
    /// False where no blob is written, as for a plan: what would be an error is a warning.
    bool refuses = true;

    [[nodiscard]] bool Has(std::string_view key) const {
        return std::find(keys.begin(), keys.end(), key) != keys.end();
    }
};

/// The key whose file --without-partitions leaves out. EmberSM acts on it: to allow its loss is to
/// go without partitions.
inline constexpr std::string_view kPartitionsKey = "partition_config_file";

}  // namespace ember::emberc
