// SPDX-License-Identifier: Apache-2.0
// EmberSM: a line with a question, and who answers it.
#include "config/explain/explain.h"

#include "config/explain/answers.h"
#include "config/explain/port_by_word.h"
#include "config/explain/request.h"
#include "config/explain/words.h"

namespace ember::explain {
namespace {

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
