// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of the table of roles, and of its drawing in core/role/DESIGN.md.
#include "core/role/table.h"

#include <array>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <string>

namespace ember {
namespace {

std::string WordOf(Act act) {
    switch (act) {
        case Act::kNothing:
            return "";
        case Act::kSweep:
            return "sweep";
        case Act::kServe:
            return "serve";
        case Act::kFollow:
            return "follow";
        case Act::kHandOver:
            return "hand over";
        case Act::kAwait:
            return "await";
        case Act::kLook:
            return "look";
        case Act::kSendTrap:
            return "tell";
        case Act::kSleep:
            return "sleep";
    }
    return "?";
}

/// The table as Markdown: a row for each cue, a column for each role. A cell has the next role,
/// unless it stays, and the act.
std::string Drawing() {
    std::ostringstream drawing;
    drawing << "| cue |";
    for (const std::string_view role : kRoleWords) {
        drawing << ' ' << role << " |";
    }
    drawing << "\n| --- |";
    for (std::size_t i = 0; i < kRoles; ++i) {
        drawing << " --- |";
    }
    drawing << '\n';
    for (std::size_t cue = 0; cue < kCues; ++cue) {
        drawing << "| " << kCueWords[cue] << " |";
        for (std::size_t role = 0; role < kRoles; ++role) {
            const RoleRow& row = Decide(static_cast<SmState>(role), static_cast<Cue>(cue));
            const std::string act = WordOf(row.act);
            drawing << ' ';
            if (row.to != row.in) drawing << "→ " << kRoleWords[std::size_t(row.to)];
            if (row.to != row.in && !act.empty()) drawing << ": ";
            drawing << (act.empty() && row.to == row.in ? "–" : act) << " |";
        }
        drawing << '\n';
    }
    return drawing.str();
}

TEST(RoleTable, TheDrawingInTheDesignIsTheTable) {
    std::ifstream file(EMBER_SOURCE_DIR "/core/role/DESIGN.md");
    ASSERT_TRUE(file) << "core/role/DESIGN.md is missing";
    std::ostringstream design;
    design << file.rdbuf();
    EXPECT_NE(design.str().find(Drawing()), std::string::npos)
        << "core/role/DESIGN.md should contain:\n"
        << Drawing();
}

TEST(RoleTable, AnSmBecomesMasterOnlyByElectionOrHandover) {
    for (const RoleRow& row : kRoleRows) {
        if (row.to != SmState::kMaster || row.in == SmState::kMaster) continue;
        const bool by_election = row.in == SmState::kDiscovering && row.on == Cue::kUnrivaled;
        const bool by_handover = row.in == SmState::kStandby && row.on == Cue::kHandover;
        EXPECT_TRUE(by_election || by_handover);
    }
}

TEST(RoleTable, AnSmLeavesNotActiveOnlyByAStandbyRequest) {
    for (const RoleRow& row : kRoleRows) {
        if (row.in != SmState::kNotActive || row.to == SmState::kNotActive) continue;
        EXPECT_EQ(row.on, Cue::kStandby);
        EXPECT_EQ(row.to, SmState::kStandby);
    }
}

TEST(RoleTable, AnSmThatBeginsToDiscoverSweeps) {
    for (const RoleRow& row : kRoleRows) {
        if (row.to != SmState::kDiscovering || row.in == SmState::kDiscovering) continue;
        EXPECT_EQ(row.act, Act::kSweep);
    }
}

TEST(RoleTable, AnSmThatGoesToStandbyFollowsAMaster) {
    for (const RoleRow& row : kRoleRows) {
        if (row.to != SmState::kStandby || row.in == SmState::kStandby) continue;
        EXPECT_EQ(row.act, Act::kFollow);
    }
}

}  // namespace
}  // namespace ember
