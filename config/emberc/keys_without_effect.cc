// SPDX-License-Identifier: Apache-2.0
// EmberSM: keys that EmberSM does not act on yet.
#include "config/emberc/keys_without_effect.h"

#include <algorithm>
#include <fmt/format.h>
#include <string>
#include <utility>

#include "config/emberc/foreign_keys.h"
#include "config/emberc/keys.h"
#include "config/keys/subnet_keys.h"
#include "core/base/assert.h"

namespace ember::emberc {
namespace {

std::size_t IndexOf(std::string_view name) {
    const auto key = FindKey(name);
    EMBER_ASSERT(key.has_value());
    return *key;
}

bool IsAllowed(const Key& key, const Allowances& allowances) {
    return allowances.Has(key.name) || (!key.beside.empty() && allowances.Has(key.beside));
}

/// Whether OpenSM would look at this key. There are always partitions, if only the default one.
bool IsLookedAt(const Key& key, const Conf& conf) {
    if (key.beside.empty() || key.beside == kPartitionsKey) return true;
    const std::size_t beside = IndexOf(key.beside);
    return !IsDefault(beside, conf[beside].value);
}

Use OneStepMilder(Use use) {
    return use == Use::kRefused ? Use::kWarned : Use::kNoted;
}

/// A site that asks for less enforcement than there is by default loses no isolation.
bool AsksForLess(const Key& key, const Setting& setting) {
    return key.name == "part_enforce" && setting.value.number == rows::kEnforceOff;
}

Severity SeverityOf(Use use) {
    switch (use) {
        case Use::kRefused:
            return Severity::kError;
        case Use::kWarned:
            return Severity::kWarning;
        case Use::kActedOn:
        case Use::kNoted:
            return Severity::kNote;
    }
    return Severity::kError;
}

/// The end of a sentence that says that a key has no effect.
std::string Consequence(Severity severity, std::string_view way_out) {
    if (severity != Severity::kError) return ": the blob carries the value, and it changes nothing";
    return fmt::format(", and the fabric would run without what it asks for; {} accepts that",
                       way_out);
}

Diagnostic Judge(const Key& key,
                 const Setting& setting,
                 const Conf& conf,
                 const Allowances& allowances) {
    Diagnostic found{.severity = Severity::kNote,
                     .place = setting.place,
                     .code = Code::kNotActedOn,
                     .text = {},
                     .source = setting.source};
    if (IsAllowed(key, allowances)) {
        found.text = fmt::format("EmberSM does not act on '{}' yet, which is accepted", key.name);
        return found;
    }
    const bool is_looked_at = IsLookedAt(key, conf);
    const bool is_milder = !is_looked_at || AsksForLess(key, setting);
    found.severity = SeverityOf(is_milder ? OneStepMilder(key.use) : key.use);
    if (!allowances.refuses) found.severity = std::min(found.severity, Severity::kWarning);
    if (is_looked_at) {
        found.text = fmt::format("EmberSM does not act on '{}' yet{}", key.name,
                                 Consequence(found.severity, fmt::format("--allow {}", key.name)));
    } else {
        found.text =
            fmt::format("EmberSM does not act on '{}' yet, nor would OpenSM: '{}' is not set",
                        key.name, key.beside);
    }
    return found;
}

}  // namespace

bool IsDefault(std::size_t key, const Value& value) {
    if (value == DefaultConf()[key].value) return true;
    return SettingsFields()[key].kind == FieldKind::kText && value.set &&
           IsDefaultName(value.text, Keys()[key].default_text);
}

void CheckKeysWithoutEffect(const Conf& conf,
                            const Allowances& allowances,
                            Diagnostics& diagnostics) {
    for (std::size_t i = 0; i < conf.size(); ++i) {
        const Key& key = Keys()[i];
        if (key.use == Use::kActedOn || key.name == kPartitionsKey) continue;
        if (!conf[i].written || IsDefault(i, conf[i].value)) continue;
        diagnostics.Add(Judge(key, conf[i], conf, allowances));
    }
}

void CheckPartitionsFile(const Conf& conf,
                         const FilePlaces& places,
                         const Allowances& allowances,
                         Diagnostics& diagnostics) {
    const std::size_t key = IndexOf(kPartitionsKey);
    const Setting& setting = conf[key];
    const std::string_view by_default = Keys()[key].default_text;
    // Without a name OpenSM takes the default one.
    const bool has_name = setting.value.set && !setting.value.text.empty();
    const std::string_view name = has_name ? std::string_view(setting.value.text) : by_default;
    const bool is_default = IsDefaultName(name, by_default);
    const std::filesystem::path path = PathOf(name, by_default, places).lexically_normal();
    Diagnostic found{.severity = allowances.refuses ? Severity::kError : Severity::kWarning,
                     .place = setting.value_place,
                     .code = Code::kNotActedOn,
                     .text = {},
                     .source = setting.source};
    if (is_default && !places.default_files) {
        if (!setting.written) return;
        found.severity = Severity::kNote;
        found.code = Code::kDefaultFile;
        found.text = fmt::format("{} is not looked at, and EmberSM does not manage partitions yet",
                                 path.string());
    } else if (is_default && !IsThere(path)) {
        return;
    } else if (allowances.Has(kPartitionsKey)) {
        found.severity = Severity::kNote;
        found.text = fmt::format("the partitions in {} are lost, which is accepted", path.string());
    } else {
        const std::string_view remark = is_default       ? " (OpenSM's default)"
                                        : !IsThere(path) ? " (which is not here)"
                                                         : "";
        found.text = fmt::format(
            "EmberSM does not manage partitions yet: what {}{} keeps apart could talk with each "
            "other; --without-partitions accepts that",
            path.string(), remark);
    }
    diagnostics.Add(std::move(found));
}

std::string WhyNotAllowed(const std::string& name) {
    if (FindKey(name) || !FeatureOfForeignKey(name).empty()) return {};
    const std::string_view nearest = NearestKey(name);
    return fmt::format("there is no key '{}'{}", name,
                       nearest.empty() ? "" : fmt::format("; did you mean '{}'?", nearest));
}

}  // namespace ember::emberc
