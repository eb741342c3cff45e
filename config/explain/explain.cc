// SPDX-License-Identifier: Apache-2.0
// EmberSM: a line with a question, its options, and who answers it.
#include "config/explain/explain.h"

#include <array>
#include <cstddef>
#include <cstdint>

#include "config/explain/answers.h"
#include "config/explain/resolver.h"
#include "config/explain/words.h"
#include "core/multicast/groups.h"
#include "core/settings/qos_tables.h"

namespace ember::explain {
namespace {

using Path = PathRecord;
using Join = McMemberRecord;

[[nodiscard]] constexpr std::uint64_t Bit(unsigned component) {
    return std::uint64_t{1} << component;
}

/// A component of a record that takes a number.
template <typename Record>
struct NumberOption {
    std::string_view name;
    std::uint64_t most = 0;
    std::uint64_t components = 0;
    void (*set)(Record& record, std::uint64_t number) = nullptr;
};

constexpr std::array kPathNumbers{
    NumberOption<Path>{
        "service-id", ~std::uint64_t{0}, Bit(Path::kHasServiceIdHigh) | Bit(Path::kHasServiceIdLow),
        [](Path& record, std::uint64_t number) { record.Set(Path::kServiceId, number); }},
    NumberOption<Path>{"qos-class", kTopQosClass, Bit(Path::kHasQosClass),
                       [](Path& record, std::uint64_t number) {
                           record.Set(Path::kQosClass, static_cast<std::uint16_t>(number));
                       }},
    NumberOption<Path>{"pkey", 0xFFFF, Bit(Path::kHasPKey),
                       [](Path& record, std::uint64_t number) {
                           record.Set(Path::kPKey, static_cast<std::uint16_t>(number));
                       }},
    NumberOption<Path>{"sl", kTopSl, Bit(Path::kHasSl),
                       [](Path& record, std::uint64_t number) {
                           record.Set(Path::kSl, static_cast<std::uint8_t>(number));
                       }},
    NumberOption<Path>{"reversible", 1, Bit(Path::kHasReversible),
                       [](Path& record, std::uint64_t number) {
                           record.Set(Path::kReversible, static_cast<std::uint8_t>(number));
                       }},
};

constexpr std::array kJoinNumbers{
    NumberOption<Join>{"pkey", 0xFFFF, Bit(Join::kHasPKey),
                       [](Join& record, std::uint64_t number) {
                           record.Set(Join::kPKey, static_cast<std::uint16_t>(number));
                       }},
    NumberOption<Join>{"qkey", 0xFFFFFFFF, Bit(Join::kHasQKey),
                       [](Join& record, std::uint64_t number) {
                           record.Set(Join::kQKey, static_cast<std::uint32_t>(number));
                       }},
    NumberOption<Join>{"sl", kTopSl, Bit(Join::kHasSl),
                       [](Join& record, std::uint64_t number) {
                           record.Set(Join::kSl, static_cast<std::uint8_t>(number));
                       }},
    NumberOption<Join>{"tclass", 0xFF, Bit(Join::kHasTClass),
                       [](Join& record, std::uint64_t number) {
                           record.Set(Join::kTClass, static_cast<std::uint8_t>(number));
                       }},
    NumberOption<Join>{"flow-label", 0xFFFFF, Bit(Join::kHasFlowLabel),
                       [](Join& record, std::uint64_t number) {
                           record.Set(Join::kFlowLabel, static_cast<std::uint32_t>(number));
                       }},
};

struct StateWord {
    std::string_view word;
    std::uint8_t state = 0;
};
constexpr std::array kStateWords{
    StateWord{"full", join_state::kFull},
    StateWord{"non", join_state::kNon},
    StateWord{"send-only", join_state::kSendOnlyNon},
    StateWord{"send-only-full", join_state::kSendOnlyFull},
};

/// An `option=value`.
struct Option {
    std::string_view name;
    std::string_view value;
};

bool Complain(const Option& option, std::string_view what, FixedText& why) {
    why.Add(option.name).Add(' ').Add(what).Add(", not \"").Add(option.value).Add('"');
    return false;
}

/// MTU and rate, which both records have, and both with a selector.
template <typename Record>
[[nodiscard]] bool TakeReach(const Option& option, Record& record, std::uint64_t& components,
                             FixedText& why) {
    if (option.name == "mtu") {
        Mtu mtu{};
        if (!ReadMtu(option.value, mtu)) {
            return Complain(option, "wants 256, 512, 1024, 2048 or 4096", why);
        }
        record.Set(Record::kMtuSelector, Selector::kExactly);
        record.Set(Record::kMtu, mtu);
        components |= Bit(Record::kHasMtuSelector) | Bit(Record::kHasMtu);
        return true;
    }
    Rate rate{};
    if (!ReadRate(option.value, rate)) {
        return Complain(option, "wants Gb/s as in 10, 25 or 100", why);
    }
    record.Set(Record::kRateSelector, Selector::kExactly);
    record.Set(Record::kRate, rate);
    components |= Bit(Record::kHasRateSelector) | Bit(Record::kHasRate);
    return true;
}

template <typename Record, std::size_t kCount>
[[nodiscard]] bool Take(const Option& option,
                        const std::array<NumberOption<Record>, kCount>& numbers, Record& record,
                        std::uint64_t& components, FixedText& why) {
    if (option.name == "mtu" || option.name == "rate") {
        return TakeReach(option, record, components, why);
    }
    for (const NumberOption<Record>& row : numbers) {
        if (row.name != option.name) continue;
        std::uint64_t number = 0;
        if (!ReadNumber(option.value, row.most, number)) {
            why.Add(option.name).Add(" wants a number up to 0x").AddHex(row.most);
            why.Add(", not \"").Add(option.value).Add('"');
            return false;
        }
        row.set(record, number);
        components |= row.components;
        return true;
    }
    why.Add("there is no option \"").Add(option.name).Add("\" here");
    return false;
}

[[nodiscard]] bool TakeState(const Option& option, JoinQuestion& question, FixedText& why) {
    for (const StateWord& row : kStateWords) {
        if (row.word != option.value) continue;
        question.join_state = row.state;
        return true;
    }
    return Complain(option, "wants full, non, send-only or send-only-full", why);
}

/// The next option. False: there is none, or it has no value, and `why` says so.
[[nodiscard]] bool NextOption(Words& words, Option& option, FixedText& why) {
    std::string_view word;
    if (!words.Next(word)) return false;
    const std::size_t equals = word.find('=');
    if (equals == std::string_view::npos || equals == 0) {
        why.Add('"').Add(word).Add("\" is no option with a value, as in sl=2");
        return false;
    }
    option = {.name = word.substr(0, equals), .value = word.substr(equals + 1)};
    return true;
}

/// Takes what is left of a line, `option=value` each, into a question. False: `why` has a sentence.
[[nodiscard]] bool ReadOptions(Words& words, PathQuestion& question, FixedText& why) {
    Option option;
    while (NextOption(words, option, why)) {  // Ends: the line does.
        if (!Take(option, kPathNumbers, question.record, question.component_mask, why)) {
            return false;
        }
    }
    return why.size() == 0;
}

[[nodiscard]] bool ReadOptions(Words& words, JoinQuestion& question, FixedText& why) {
    Option option;
    while (NextOption(words, option, why)) {  // Ends: the line does.
        const bool is_taken = option.name == "state" ? TakeState(option, question, why)
                                                     : Take(option, kJoinNumbers, question.record,
                                                            question.component_mask, why);
        if (!is_taken) return false;
    }
    return why.size() == 0;
}

/// The next word as an end port; kNoPortIndex: `why` has a sentence. `what` is asked for.
[[nodiscard]] PortIndex TakePort(Words& words, std::string_view what, const Scene& scene,
                                 FixedText& why) {
    std::string_view word;
    if (!words.Next(word)) {
        why.Add(what);
        return kNoPortIndex;
    }
    const Fabric& fabric = scene.explainer.view().fabric;
    const PortIndex at = PortByWord(fabric, scene.names, word, why);
    if (at != kNoPortIndex) why.clear();
    return at;
}

[[nodiscard]] bool TakeEnds(Words& words, const Scene& scene, PortIndex& one, PortIndex& other,
                            FixedText& why) {
    constexpr std::string_view kWanted =
        "two ports are wanted: a name, a GUID (0x...) or a LID each";
    one = TakePort(words, kWanted, scene, why);
    if (one != kNoPortIndex) other = TakePort(words, kWanted, scene, why);
    return one != kNoPortIndex && other != kNoPortIndex;
}

[[nodiscard]] bool ExplainPartition(Words& words, const Scene& scene, JsonWriter& json,
                                    FixedText& why) {
    PortIndex one = kNoPortIndex;
    PortIndex other = kNoPortIndex;
    if (!TakeEnds(words, scene, one, other, why)) return false;
    std::string_view word;
    if (words.Next(word)) {
        why.Add("explain partition wants two ports and no more, not \"").Add(word).Add('"');
        return false;
    }
    AnswerPartition(json, scene, one, other);
    return true;
}

[[nodiscard]] bool ExplainPath(Words& words, const Scene& scene, JsonWriter& json, FixedText& why) {
    PathQuestion question;
    if (!TakeEnds(words, scene, question.source, question.destination, why)) return false;
    if (!ReadOptions(words, question, why)) return false;
    AnswerPath(json, scene, question);
    return true;
}

[[nodiscard]] bool ExplainJoin(Words& words, const Scene& scene, JsonWriter& json, FixedText& why) {
    constexpr std::string_view kWanted = "a port and an MGID are wanted";
    JoinQuestion question;
    question.port = TakePort(words, kWanted, scene, why);
    if (question.port == kNoPortIndex) return false;
    std::string_view word;
    if (!words.Next(word)) {
        why.Add(kWanted);
        return false;
    }
    if (!ReadGid(word, question.mgid)) {
        why.Add('"').Add(word).Add("\" is no MGID, as in ff12:401b:ffff::ffff:ffff");
        return false;
    }
    if (!ReadOptions(words, question, why)) return false;
    AnswerJoin(json, scene, question);
    return true;
}

}  // namespace

bool Answer(std::string_view line, const Scene& scene, JsonWriter& json, FixedText& why) {
    json.SetNames(&scene.names);
    Words words(line);
    std::string_view kind;
    static_cast<void>(words.Next(kind));
    if (kind == "partition") return ExplainPartition(words, scene, json, why);
    if (kind == "path") return ExplainPath(words, scene, json, why);
    if (kind == "join") return ExplainJoin(words, scene, json, why);
    why.Add("explain wants partition, path or join");
    return false;
}

}  // namespace ember::explain
