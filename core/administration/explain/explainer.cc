// SPDX-License-Identifier: Apache-2.0
// EmberSM: why subnet administration decides as it does.
#include "core/administration/explain/explainer.h"

#include <algorithm>
#include <array>
#include <span>

namespace ember {
namespace {

[[nodiscard]] constexpr std::uint64_t Mask(unsigned component) {
    return std::uint64_t{1} << component;
}

using Octets = std::array<std::uint8_t, kSaDataOctets>;

template <typename Record>
void Fill(const Record& record, Octets& octets) {
    octets.fill(0);
    std::copy(record.octets().begin(), record.octets().end(), octets.begin());
}

}  // namespace

SharedPartitions::SharedPartitions(const Partitions& partitions, PortIndex one, PortIndex other)
    : of_one_(partitions.Of(one)), of_other_(partitions.Of(other)) {
    has_both_ = of_one_.Next(one_) && of_other_.Next(other_);
}

bool SharedPartitions::Next(SharedPartition& found) {
    while (has_both_) {  // Each turn takes a row of one port or of both.
        const bool is_one_done = one_.p_key <= other_.p_key;
        const bool is_other_done = other_.p_key <= one_.p_key;
        const bool is_shared = is_one_done && is_other_done;
        if (is_shared) {
            found = {.one = one_,
                     .other = other_,
                     .may_talk = MayCommunicate(one_.membership, other_.membership)};
        }
        has_both_ =
            (!is_one_done || of_one_.Next(one_)) && (!is_other_done || of_other_.Next(other_));
        if (is_shared) return true;
    }
    return false;
}

bool Explainer::IsAnswered(const Query& query, PathRecord& answer) {
    constexpr std::uint32_t kBudget = 100'000;
    std::array<std::uint8_t, sizeof(PathRecord)> octets{};
    Cursor cursor;
    Found found = Found::kLater;
    while (found == Found::kLater) {  // Two ports have 2^14 pairs of LIDs at most.
        std::uint32_t budget = kBudget;
        found = parts_.path_records.Next(query, cursor, budget, octets);
    }
    if (found == Found::kRecord) std::copy(octets.begin(), octets.end(), answer.octets().begin());
    return found == Found::kRecord;
}

PathExplanation Explainer::ExplainPath(const PathQuestion& question) {
    const Fabric& fabric = parts_.view.fabric;
    const Port& source = fabric.port(question.source);
    const Port& destination = fabric.port(question.destination);
    PathRecord asked = question.record;
    const std::uint64_t prefix = parts_.view.settings.subnet_prefix;
    asked.Set(PathRecord::kSgidPrefix, prefix);
    asked.Set(PathRecord::kSgidGuid, source.guid);
    asked.Set(PathRecord::kDgidPrefix, prefix);
    asked.Set(PathRecord::kDgidGuid, destination.guid);
    Octets octets;
    Fill(asked, octets);
    const Query query{.method = Method::kGet,
                      .attribute = SaAttribute::kPathRecord,
                      .component_mask = question.component_mask | Mask(PathRecord::kHasSgid) |
                                        Mask(PathRecord::kHasDgid),
                      .requester = question.source,
                      .requester_lid = source.lid,
                      .requester_queue_pair = 1,
                      .record = octets};

    PathExplanation explanation{.source_lid = source.lid, .destination_lid = destination.lid};
    explanation.status = parts_.path_records.Check(query);
    if (explanation.status != SaStatus::kOk) return explanation;
    explanation.shares_partition =
        parts_.path_maker.MayKnow(question.source, question.source, question.destination);
    PathRecord answer;
    explanation.is_answered = IsAnswered(query, answer);
    if (explanation.is_answered) {
        explanation.source_lid = answer.Get(PathRecord::kSlid);
        explanation.destination_lid = answer.Get(PathRecord::kDlid);
    }
    const PathEnds ends{.source = question.source,
                        .source_lid = explanation.source_lid,
                        .destination = question.destination,
                        .destination_lid = explanation.destination_lid,
                        .source_guid = source.guid,
                        .destination_guid = destination.guid};
    explanation.refusal =
        parts_.path_maker.Decide(WishOf(query, asked), ends, explanation.decision);
    return explanation;
}

JoinExplanation Explainer::ExplainJoin(const JoinQuestion& question) const {
    const Port& port = parts_.view.fabric.port(question.port);
    McMemberRecord asked = question.record;
    asked.SetMgid(question.mgid);
    asked.Set(McMemberRecord::kPortGidPrefix, parts_.view.settings.subnet_prefix);
    asked.Set(McMemberRecord::kPortGidGuid, port.guid);
    asked.Set(McMemberRecord::kJoinState, question.join_state);
    Octets octets;
    Fill(asked, octets);
    const Query query{.method = Method::kSet,
                      .attribute = SaAttribute::kMcMemberRecord,
                      .component_mask = question.component_mask | Mask(McMemberRecord::kHasMgid) |
                                        Mask(McMemberRecord::kHasPortGid) |
                                        Mask(McMemberRecord::kHasJoinState),
                      .requester = question.port,
                      .requester_lid = port.lid,
                      .requester_queue_pair = 1,
                      .record = octets};

    JoinExplanation explanation{.verdict = parts_.members.JudgeJoin(query),
                                .reach = ReachOf(parts_.view.fabric, question.port)};
    const GroupIndex group = explanation.verdict.group;
    if (NamesPartition(explanation.verdict.values.p_key)) {
        explanation.partition =
            parts_.view.partitions.Find(question.port, explanation.verdict.values.p_key);
    }
    if (group == kNoGroup) return explanation;
    const MemberIndex member = parts_.groups.FindMember(group, port.guid);
    if (member != kNoMember) explanation.present_state = parts_.groups.member(member).join_state;
    return explanation;
}

}  // namespace ember
