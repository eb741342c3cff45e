// SPDX-License-Identifier: Apache-2.0
// EmberSM: emberc show. What it prints is itself an opensm.conf.
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>

#include "config/emberc/blob_file.h"
#include "config/emberc/checks.h"
#include "config/emberc/commands.h"
#include "config/emberc/conf.h"
#include "config/emberc/files.h"
#include "config/emberc/keys.h"
#include "config/emberc/option_files/contents_report.h"
#include "config/emberc/option_files/contents_writer.h"
#include "config/emberc/payload_writer.h"
#include "config/emberc/say.h"
#include "config/emberc/value_text.h"
#include "config/explain/host/isolation.h"

namespace ember::emberc {
namespace {

using nlohmann::json;

std::string SignerOf(const BlobParts& parts) {
    if (!parts.is_signed) return "nobody";
    return fmt::format("key {} (not checked here: emberc verify)", Hex(parts.header.key_id));
}

/// A text that OpenSM's rules would change keeps its blanks inside quotes.
std::string Quoted(const std::string& text) {
    const bool plain = !text.empty() && text.front() != ' ' && text.back() != ' ';
    return plain ? text : '"' + text + '"';
}

/// The key's default is a place that is looked at where no line has the key.
bool HasDefaultPlace(std::size_t key) {
    return SettingsFields()[key].kind == FieldKind::kText &&
           Keys()[key].default_text.starts_with("/etc/opensm/");
}

/// Numbers and booleans as such; the rest as opensm.conf has it.
json AsJson(const SettingField& field, const Value& value) {
    if (!value.set) return nullptr;
    using enum FieldKind;
    if (field.kind == kBool) return value.number != 0;
    if (field.kind == kI32) return static_cast<std::int64_t>(value.number);
    if (field.kind == kPerSl) return value.list;
    if (field.kind == kU8 || field.kind == kU16 || field.kind == kU32) return value.number;
    return FormatValue(field, value).front();
}

/// Keys that are set and have no effect in this release, with what `emberc check` does about them.
json WithoutEffect(const std::vector<Value>& values) {
    json keys = json::object();
    for (std::size_t i = 0; i < values.size(); ++i) {
        const Key& key = Keys()[i];
        if (key.use == Use::kActedOn || IsDefault(i, values[i])) continue;
        keys[std::string(key.name)] = NameOf(key.use);
    }
    return keys;
}

void PrintJson(const BlobParts& parts, const std::vector<Value>& values,
               const OptionContents& contents, const ShowRequest& request) {
    json settings = json::object();
    for (std::size_t i = 0; i < values.size(); ++i) {
        const bool is_hidden = !request.secrets && IsSecret(i, values[i]);
        settings[std::string(Keys()[i].name)] =
            is_hidden ? json("hidden") : AsJson(SettingsFields()[i], values[i]);
    }
    const json out = {{"signed", parts.is_signed},
                      {"key_id", parts.is_signed ? json(Hex(parts.header.key_id)) : json(nullptr)},
                      {"counter", std::uint64_t{parts.header.counter}},
                      {"schema_version", std::uint32_t{parts.header.schema_version}},
                      {"payload_octets", parts.payload.size()},
                      {"settings", settings},
                      {"partitions", PartitionCount(contents)},
                      {"without_effect", WithoutEffect(values)},
                      {"option_files", ContentsAsJson(contents, request.all)}};
    fmt::print("{}\n", out.dump(2, ' ', false, json::error_handler_t::replace));
}

void PrintText(const BlobParts& parts, const std::vector<Value>& values,
               const OptionContents& contents, const ShowRequest& request) {
    Say(stdout, "# schema {}, counter {}, signed by {}\n",
        std::uint32_t{parts.header.schema_version}, std::uint64_t{parts.header.counter},
        SignerOf(parts));
    Say(stdout, "# {}\n", explain::IsolationText(PartitionCount(contents)));
    const Conf& defaults = DefaultConf();
    std::size_t left_out = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (!request.all && values[i] == defaults[i].value) {
            ++left_out;
            continue;
        }
        const SettingField& field = SettingsFields()[i];
        if (!request.secrets && IsSecret(i, values[i])) {
            Say(stdout, "# {} is set (--secrets shows it)\n", field.name);
            continue;
        }
        if (values[i] == defaults[i].value && HasDefaultPlace(i)) {
            Say(stdout, "# {} names no file\n", field.name);  // A line would name that place.
            continue;
        }
        if (Keys()[i].use != Use::kActedOn && !IsDefault(i, values[i])) {
            Say(stdout, "# no effect in this release ({}):\n", NameOf(Keys()[i].use));
        }
        for (const std::string& text : FormatValue(field, values[i])) {
            Say(stdout, "{} {}\n", field.name,
                field.kind == FieldKind::kText ? Quoted(text) : text);
        }
    }
    if (left_out > 0) Say(stdout, "# {} keys have their defaults (--all shows them)\n", left_out);
}

}  // namespace

int Show(const ShowRequest& request, const Manner& manner) {
    const BlobParts parts = TakeApart(ReadFile(request.blob));
    const std::optional<std::vector<Value>> values = ReadPayloadValues(parts.payload);
    const std::optional<OptionContents> contents = ReadContents(parts.payload);
    if (!values || !contents) throw std::runtime_error("the payload is no valid configuration");
    if (manner.json) {
        PrintJson(parts, *values, *contents, request);
    } else {
        PrintText(parts, *values, *contents, request);
        SayText(stdout, ContentsAsText(*contents, request.all));
    }
    return kDone;
}

}  // namespace ember::emberc
