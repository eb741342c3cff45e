// SPDX-License-Identifier: Apache-2.0
// EmberSM: a log in a file that is written by a thread of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "core/platform.h"
#include "platform/linux/system/worker_thread.h"

namespace ember {

/// A StateLog as the file `sa-journal` of a state directory. A new generation is written to
/// `sa-journal.new`, and renamed when all of it is on the disk.
///
/// Append() copies to one half of a room; a thread writes the other half and flushes it, then they
/// change places: while a disk takes its time, more gathers for the next flush. The thread and the
/// subnet manager share what stands under the lock, which is never held while something is written.
class FileStateLog final : public StateLog {
public:
    /// Each half of `room` holds the longest Append() there is.
    explicit FileStateLog(std::span<std::byte> room) : room_(room) {}
    FileStateLog(const FileStateLog&) = delete;
    FileStateLog& operator=(const FileStateLog&) = delete;
    ~FileStateLog();

    /// Opens the log of a directory that is there, and starts the thread, with all signals blocked.
    /// Empty: it runs; else one sentence. A log that is not there yet is no failure.
    [[nodiscard]] std::string Open(const std::string& directory);
    /// Waits until what was appended is on the disk, and ends the thread. Nothing may be appended
    /// afterwards.
    void Finish();

    Result<std::size_t> Read(std::uint64_t offset, std::span<std::byte> octets) override;
    [[nodiscard]] std::uint64_t AgeSeconds() override;
    Status Begin() override;
    Status Append(std::span<const std::byte> octets) override;
    Status Commit() override;
    [[nodiscard]] std::uint64_t SafeBytes() const override;

private:
    enum class Committing : std::uint8_t { kNot, kAsked, kDone };
    /// The work that the thread has taken upon itself.
    struct Work {
        bool begins = false;
        bool commits = false;
        std::span<const std::byte> octets{};
    };

    void Loop();
    [[nodiscard]] bool AwaitWork(Work& work);
    [[nodiscard]] bool Do(const Work& work);
    [[nodiscard]] bool OpenFresh();
    [[nodiscard]] bool WriteOut(std::span<const std::byte> octets) const;
    [[nodiscard]] bool TakeOver() const;
    [[nodiscard]] bool IsAsked() const {
        return begins_ || filled_ != 0 || committing_ == Committing::kAsked;
    }

    std::span<std::byte> room_;
    int directory_ = -1;
    int old_ = -1;                    ///< The log as it was at the start; -1: there was none.
    int old_error_ = 0;               ///< Why it could not be opened.
    int fresh_ = -1;                  ///< The log being written; the thread's.
    std::int64_t old_written_s_ = 0;  ///< Seconds since 1970.
    WorkerThread thread_;
    // Under its lock.
    bool begins_ = false;
    bool is_working_ = false;
    bool has_failed_ = false;  ///< Until the next Begin().
    Committing committing_ = Committing::kNot;
    std::size_t half_ = 0;    ///< Which is filled: 0 or 1.
    std::size_t filled_ = 0;  ///< Octets in it.
    std::uint64_t safe_ = 0;
};

}  // namespace ember
