// SPDX-License-Identifier: Apache-2.0
// EmberSM: random requests on small tables, whose journal lies on a log in memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/administration/registrations/sa_journal.h"
#include "core/administration/registrations/sa_restorer.h"
#include "core/base/time.h"
#include "tests/core/administration/record_net.h"
#include "tests/support/sa_tables_store.h"
#include "tests/support/sim_state_log.h"

namespace ember::testing {

/// The log as a power loss would leave it at one moment.
struct Image {
    std::vector<std::byte> octets;
    bool has_any = false;
    std::size_t least = 0;  ///< Requests that are safe.
};

/// A log that takes an image before and after every call.
class WatchedLog final : public StateLog {
public:
    Result<std::size_t> Read(std::uint64_t offset, std::span<std::byte> octets) override {
        return log_.Read(offset, octets);
    }
    std::uint64_t AgeSeconds() override { return log_.AgeSeconds(); }
    Status Begin() override {
        TakeImage();
        const Status status = log_.Begin();
        TakeImage();
        return status;
    }
    Status Append(std::span<const std::byte> octets) override {
        const Status status = log_.Append(octets);
        if (status == Status::kOk) {
            told_ = requests;
            if (!log_.is_fresh()) ends_.push_back({log_.octets().size(), requests});
            if (!log_.is_fresh()) safe_ = requests;
        }
        TakeImage();
        return status;
    }
    Status Commit() override {
        TakeImage();
        const Status status = log_.Commit();
        if (status == Status::kOk) {
            has_any_ = true;
            safe_ = told_;
            ends_.assign(1, {log_.octets().size(), told_});
        }
        TakeImage();
        return status;
    }
    [[nodiscard]] std::uint64_t SafeBytes() const override { return log_.SafeBytes(); }

    /// The frames of the generation in force: where each ends, and how many requests it makes.
    struct End {
        std::size_t at = 0;
        std::size_t requests = 0;
    };
    [[nodiscard]] const std::vector<End>& ends() const { return ends_; }
    [[nodiscard]] const std::vector<Image>& images() const { return images_; }
    [[nodiscard]] SimStateLog& below() { return log_; }
    std::size_t requests = 0;  ///< Made so far; the test counts.
    bool takes_images = false;

private:
    void TakeImage() {
        if (takes_images) images_.push_back({log_.octets(), has_any_, safe_});
    }
    SimStateLog log_;
    std::vector<End> ends_;
    std::vector<Image> images_;
    bool has_any_ = false;
    std::size_t told_ = 0;
    std::size_t safe_ = 0;
};

class SaJournalTest : public ::testing::Test {
protected:
    SaJournalTest() {
        for (const auto& [node, number] :
             {std::pair{0U, 1U}, {1U, 1U}, {2U, 1U}, {4U, 1U}, {4U, 2U}, {6U, 1U}}) {
            ports_.push_back(net_.port(node, number).guid);
        }
        history_.push_back(store_.Describe());
    }

    void Begin() { journal_.Begin(0); }
    void Settle() {
        for (int i = 0; i < 1000 && (journal_.Step(now_us_) || journal_.NextDeadlineUs() != kNever);
             ++i) {
            if (journal_.NextDeadlineUs() != kNever) {
                now_us_ = std::max(now_us_, journal_.NextDeadlineUs());
            }
        }
    }
    void Request() {
        store_.Change(chance_, ports_, 0);
        history_.push_back(store_.Describe());
        log_.requests = history_.size() - 1;
    }
    void Requests(int count) {
        for (int i = 0; i < count; ++i) {
            Request();
            if (chance_() % 3 == 0) now_us_ += chance_() % (60 * kMillisecondUs);
            static_cast<void>(journal_.Step(now_us_));
        }
    }

    /// The state that a new incarnation would restore from these octets.
    std::string Restored(const std::vector<std::byte>& octets, bool has_any = true) {
        SimStateLog log;
        if (has_any) log.Put(octets);
        SaTablesStore store;
        SaRestorer restorer(buffer_, {&log, net_.fabric(), store.tables()});
        restorer.Begin({});
        std::uint64_t steps = 0;
        while (restorer.Step(0)) {
            if (++steps > 10'000) return "does not end";
        }
        restored_ = restorer.outcome();
        EXPECT_EQ(restored_.unusable, 0U);
        return store.Describe();
    }
    /// The state after `least` requests or more.
    [[nodiscard]] bool IsAfter(const std::string& state, std::size_t least) const {
        return std::find(history_.begin() + static_cast<std::ptrdiff_t>(least), history_.end(),
                         state) != history_.end();
    }

    RecordNet net_;
    std::vector<Guid> ports_;
    std::vector<LogRecord> note_rows_{256};
    Log notes_{note_rows_};
    std::mt19937_64 chance_{20261122};
    SaTablesStore store_;
    WatchedLog log_;
    std::vector<std::byte> buffer_{std::vector<std::byte>(4096)};
    std::vector<std::byte> journal_buffer_{std::vector<std::byte>(4096)};
    SaJournal journal_{journal_buffer_, {&log_, notes_, store_.tables()}};
    std::vector<std::string> history_;
    std::uint64_t now_us_ = 0;
    SaRestored restored_;
};

}  // namespace ember::testing
