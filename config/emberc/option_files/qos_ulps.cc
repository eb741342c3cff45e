// SPDX-License-Identifier: Apache-2.0
// EmberSM: the simple syntax of a qos_policy_file: an SL for each kind of protocol.
#include <algorithm>
#include <array>
#include <cctype>
#include <fmt/format.h>
#include <string>
#include <string_view>

#include "config/emberc/option_files/qos_draft.h"
#include "core/partitions/partitions.h"

namespace ember::emberc {
namespace {

using Ranges = LoadedQosPolicy::Ranges;

// Service IDs of connections to TCP port numbers: the port number behind a base. Source: OpenSM,
// QoS_management_in_OpenSM.txt, 6.2 to 6.4; IBA vol. 1, annexes A4 (SDP) and A11 (IP addressing).
constexpr std::uint64_t kSdpServiceId = 0x10000;
constexpr std::uint64_t kIpServiceId = 0x1060000;
constexpr std::uint64_t kRdsPort = 0x48CA;
constexpr std::uint64_t kIserPort = 0x0CBC;

/// The criterion of a line of qos-ulps.
enum class By : std::uint8_t {
    kDefault,
    kServiceId,
    kPKey,
    kTarget,
    kSource,
    kSourceOrTarget,
    kSdp,
    kRds,
    kIser,
    kIpoib,
};

struct UlpForm {
    std::string_view ulp;   ///< In any case.
    std::string_view word;  ///< Behind a comma; empty: none.
    By by;
};

constexpr std::array kForms = {
    UlpForm{"default", "", By::kDefault},
    UlpForm{"any", "service-id", By::kServiceId},
    UlpForm{"any", "pkey", By::kPKey},
    UlpForm{"any", "target-port-guid", By::kTarget},
    UlpForm{"any", "source-port-guid", By::kSource},
    UlpForm{"any", "source-target-port-guid", By::kSourceOrTarget},
    UlpForm{"sdp", "", By::kSdp},
    UlpForm{"sdp", "port-num", By::kSdp},
    UlpForm{"rds", "", By::kRds},
    UlpForm{"rds", "port-num", By::kRds},
    UlpForm{"iser", "", By::kIser},
    UlpForm{"iser", "port-num", By::kIser},
    UlpForm{"srp", "target-port-guid", By::kTarget},
    UlpForm{"ipoib", "", By::kIpoib},
    UlpForm{"ipoib", "pkey", By::kIpoib},
};

bool IsWord(std::string_view text, std::string_view word) {
    return std::equal(text.begin(), text.end(), word.begin(), word.end(), [](char a, char b) {
        return std::tolower(static_cast<unsigned char>(a)) == b;
    });
}

std::string AllForms() {
    std::string all;
    for (const UlpForm& form : kForms) {
        if (!all.empty()) all += "; ";
        all += form.ulp;
        if (!form.word.empty()) all += fmt::format(", {} ...", form.word);
    }
    return all;
}

/// The form of the present line, whose front is taken. Null: it has none, which is reported.
const UlpForm* TakeForm(QosText& text) {
    const Word ulp = text.TakeWord();
    const bool has_word = text.Take(',');
    const Word word = has_word ? text.TakeWord() : Word{};
    const auto* const form =
        std::find_if(kForms.begin(), kForms.end(), [&](const UlpForm& candidate) {
            return IsWord(ulp.text, candidate.ulp) && word.text == candidate.word &&
                   has_word != candidate.word.empty();
        });
    if (form != kForms.end()) return form;
    text.Error(text.line(), Code::kUnknownLine,
               fmt::format("qos-ulps has lines of these forms, each with ':' and an SL behind it: "
                           "{}; OpenSM refuses the file",
                           AllForms()));
    return nullptr;
}

Ranges Shifted(const Ranges& ports, std::uint64_t base) {
    Ranges ranges;
    for (const QosRange& port : ports) {
        ranges.push_back({.from = base + port.from, .to = base + port.to});
    }
    return ranges;
}

Ranges One(std::uint64_t number) {
    return {{.from = number, .to = number}};
}

/// Service IDs of the ports that the line lists, or of `by_default` when it lists none.
Ranges TakePorts(QosText& text, bool has_list, std::uint64_t base, const Ranges& by_default) {
    if (!has_list) return Shifted(by_default, base);
    Ranges ports;
    text.TakeRanges(kPortNumKind, true, ports);
    return Shifted(ports, base);
}

void TakeCriterion(QosText& text, const UlpForm& form, QosDraft::Ulp& ulp) {
    const bool has_list = !form.word.empty();
    LoadedQosPolicy::Rule& row = ulp.row;
    switch (form.by) {
        case By::kDefault:
            break;
        case By::kServiceId:
            text.TakeRanges(kServiceIdKind, true, row.service_ids);
            break;
        case By::kPKey:
            text.TakeRanges(kPKeyKind, true, row.p_keys);
            break;
        case By::kTarget:
        case By::kSource:
        case By::kSourceOrTarget:
            text.TakeRanges(kPortGuidKind, true, ulp.guids);
            ulp.is_by_source = form.by != By::kTarget;
            ulp.is_by_target = form.by != By::kSource;
            break;
        case By::kSdp:
            row.service_ids = TakePorts(text, has_list, kSdpServiceId, {{0, 0xFFFF}});
            break;
        case By::kRds:
            row.service_ids = TakePorts(text, has_list, kIpServiceId, One(kRdsPort));
            break;
        case By::kIser:
            row.service_ids = TakePorts(text, has_list, kIpServiceId, One(kIserPort));
            break;
        case By::kIpoib:
            if (has_list) {
                text.TakeRanges(kPKeyKind, true, row.p_keys);
            } else {
                row.p_keys = One(kDefaultPKey & kPKeyBase);
            }
            break;
    }
}

void SetDefault(QosText& text, const Spot& spot, std::uint8_t sl, QosDraft& draft) {
    if (!draft.simple_default) {
        draft.simple_default = QosDraft::Default{.spot = spot, .sl = sl};
        return;
    }
    const QosDraft::Default& before = *draft.simple_default;
    if (before.sl == sl) {
        text.ReportAt(Severity::kWarning, spot, Code::kDuplicateEntry,
                      fmt::format("line {} says the same", before.spot.place.line));
    } else {
        text.ReportAt(Severity::kError, spot, Code::kContradiction,
                      fmt::format("line {} has another default; OpenSM takes the last",
                                  before.spot.place.line));
    }
}

/// A '=' instead of the colon is plain.
bool TakeColon(QosText& text) {
    if (text.Take(':')) return true;
    const Word here = text.rest().text.empty() ? text.line() : text.rest();
    if (text.Take('=')) {
        text.Report(Severity::kWarning, {here.text.substr(0, 1), here.begin}, Code::kEqualsSign,
                    "before the SL stands a colon, as which this '=' is read");
        return true;
    }
    text.Error(here, Code::kMissingColon,
               "a colon is missing: ':' and an SL stand at the end of a line of qos-ulps");
    return false;
}

}  // namespace

void ReadUlp(QosText& text, QosDraft& draft) {
    QosDraft::Ulp ulp{.spot = text.SpotOf(text.line())};
    const UlpForm* const form = TakeForm(text);
    if (form == nullptr) return;
    TakeCriterion(text, *form, ulp);
    const bool is_default = form->by == By::kDefault;
    if (!TakeColon(text)) {
        draft.has_wrong_default = draft.has_wrong_default || is_default;
        return;
    }
    const auto sl = text.TakeNumber("SL", 0, kTopSl);
    draft.has_wrong_default = draft.has_wrong_default || (is_default && !sl);
    if (!sl) return;
    ulp.sl = static_cast<std::uint8_t>(*sl);
    if (is_default) return SetDefault(text, ulp.spot, ulp.sl, draft);
    draft.ulps.push_back(std::move(ulp));
}

}  // namespace ember::emberc
