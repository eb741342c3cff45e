// SPDX-License-Identifier: Apache-2.0
// EmberSM: a dump to who asked for it at the control socket.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/manager/subnet_manager.h"
#include "platform/linux/control/control_client.h"
#include "platform/linux/dump/dump_job.h"

namespace ember {

/// Sends the files of a dump to a client, which writes them: the subnet manager may be locked out
/// of every directory that its operator can see. Lines of JSON, and octets between them:
///
///   {"file":NAME}             a file begins; if it is the one before, that is void; with
///                             "holds_keys":true it is for its owner alone
///   {"bytes":N}               N octets of it follow, and after them the next line
///   {"ok":true,"bytes":N}     all files are complete; or, at any time instead of a line,
///   {"ok":false,"error":...}  there is no dump
///
/// What is to be sent stands in the client's room for answers, one line and its octets at a time. A
/// client that does not take that within kPatienceUs is hung up on, and one that is gone ends its
/// dump; no other client notices either.
class DumpStream final : public DumpSink {
public:
    static constexpr std::uint64_t kPatienceUs = 10'000'000;

    /// The job outlives it, and has no other client while it runs for this.
    explicit DumpStream(DumpJob& job) : job_(job) {}
    DumpStream(const DumpStream&) = delete;
    DumpStream& operator=(const DumpStream&) = delete;

    /// Begins a dump, or tells the client why not. running() ends before.
    void Start(const SubnetManager& sm, ControlClient& client);
    [[nodiscard]] bool running() const { return client_ != nullptr; }
    /// The dump is this client's, whose lines have to wait until it has ended.
    [[nodiscard]] bool IsFor(const ControlClient& client) const { return client_ == &client; }
    /// The job has ended.
    void Took(DumpEnd how);
    /// Others need the tables: ends a dump that runs, and the client is told.
    void GiveWay();
    /// To be called whenever something may have been sent. True: the dump has ended, and the client
    /// has been told or is gone.
    [[nodiscard]] bool Tend(std::uint64_t now_us);

    Status Begin(std::string_view name, bool holds_keys) override;
    Status Write(std::string_view& text) override;
    Status End() override { return Status::kOk; }

private:
    [[nodiscard]] bool IsTooSlow(std::uint64_t now_us);
    void AnswerEnd();

    DumpJob& job_;
    ControlClient* client_ = nullptr;
    DumpEnd end_ = DumpEnd::kRunning;
    std::uint64_t bytes_ = 0;
    std::uint64_t sent_ = 0;      ///< Times something was given to the client to take.
    std::uint64_t seen_ = 0;      ///< The same when Tend() last looked, ...
    std::uint64_t since_us_ = 0;  ///< ... and since when it is so.
};

}  // namespace ember
