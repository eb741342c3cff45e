// SPDX-License-Identifier: Apache-2.0
// EmberSM: how many questions the subnet administrator answers, from datagram to datagram.
//
// Goal:   questions a second of one processor, and what a step costs at most, with the whole way
//         in it: admission, queue, search, answer; and tables of any length in segments with a
//         receiver that acknowledges windows of 64.
// Method: datagrams are handed in and caught at a port in memory, no simulator between. Times are
//         of this thread's processor. `rate`: answers, or records, a second.

#include <benchmark/benchmark.h>
#include <cstdint>
#include <ctime>
#include <memory>
#include <random>
#include <vector>

#include "config/netlist/topologies.h"
#include "core/administration/transactions/administration.h"
#include "tests/core/administration/paths/path_net.h"

namespace ember {
namespace {

using testing::Mask;
using testing::PathNet;
using P = PathRecord;

double CpuSeconds() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

/// Counts what is sent and keeps the last of it.
class CountingPort final : public MadPort {
public:
    Status Send(const Envelope& envelope) override {
        ++sent;
        last = envelope;
        return Status::kOk;
    }
    Status Receive(Envelope& /*envelope*/) override { return Status::kBusy; }

    std::uint64_t sent = 0;
    Envelope last{};
};

/// An administration with room for 256 questions, on a routed fat tree.
class Office {
public:
    explicit Office(std::uint32_t k) : net_(net::FatTree3(k)) {
        net_.view().generation = 1;
        index_.Add(net_.records());
        administration_.Serve(true);
        ForEachEndPort(net_.fabric(), [&](PortIndex, const Port& port) {
            if (port.number != kManagementPort) hosts_.push_back(port.lid);
        });
    }

    [[nodiscard]] Administration& sa() { return administration_; }
    [[nodiscard]] CountingPort& port() { return port_; }
    [[nodiscard]] const std::vector<Lid>& hosts() const { return hosts_; }

    [[nodiscard]] Envelope Question(Method method, Lid from, std::uint64_t id) const {
        SaMad mad{};
        mad.header.base_version = kBaseVersion;
        mad.header.mgmt_class = MgmtClass::kSubnAdm;
        mad.header.class_version = kSubnAdmClassVersion;
        mad.header.method = method;
        mad.header.transaction_id = TransactionId{id};
        mad.header.attribute_id = AttributeId{static_cast<std::uint16_t>(SaAttribute::kPathRecord)};
        return {.peer = from, .queue_pair = 1, .remote_queue_pair = 1, .mad = ToMad(mad)};
    }

private:
    PathNet net_;
    CountingPort port_;
    std::vector<LogRecord> notes_ = std::vector<LogRecord>(64);
    Log log_{notes_};
    RecordIndex index_;
    std::vector<SaRequest> requests_ = std::vector<SaRequest>(256);
    std::unique_ptr<Transfer[]> transfers_{new Transfer[16]};
    std::vector<SaTransfers::Line> lines_ = std::vector<SaTransfers::Line>(16);
    std::vector<SaReception> receptions_ = std::vector<SaReception>(5);
    std::vector<SaSource> sources_ = std::vector<SaSource>(64);
    Administration administration_{
        {requests_, {{transfers_.get(), 16}, lines_}, receptions_, sources_},
        {port_, log_, net_.view(), index_}};
    std::vector<Lid> hosts_;
};

/// Get(PathRecord) by LIDs between hosts drawn by chance, from all hosts in turn.
void GetPaths(benchmark::State& state) {
    Office office(static_cast<std::uint32_t>(state.range(0)));
    std::mt19937 chance(1);
    std::vector<Envelope> questions;
    for (std::uint64_t i = 0; i < 4096; ++i) {
        Envelope question =
            office.Question(Method::kGet, office.hosts()[chance() % office.hosts().size()], i + 1);
        SaMad mad = ToSaMad(question.mad);
        PathRecord asked;
        asked.Set(P::kSlid, office.hosts()[chance() % office.hosts().size()]);
        asked.Set(P::kDlid, office.hosts()[chance() % office.hosts().size()]);
        mad.component_mask = Mask(P::kHasSlid, P::kHasDlid);
        std::copy(asked.octets().begin(), asked.octets().end(), mad.data.begin());
        question.mad = ToMad(mad);
        questions.push_back(question);
    }
    std::uint64_t now_us = 0;
    double longest = 0;
    const double began = CpuSeconds();
    for (auto _ : state) {
        std::size_t next = 0;
        while (next < questions.size()) {
            const double step = CpuSeconds();
            for (int i = 0; i < 128 && next < questions.size(); ++i) {
                office.sa().Take(questions[next++], now_us);
            }
            while (office.sa().Step(now_us)) {
            }
            longest = std::max(longest, CpuSeconds() - step);
            now_us += 1000;
        }
    }
    const double seconds = CpuSeconds() - began;
    const std::uint64_t asked = static_cast<std::uint64_t>(state.iterations()) * questions.size();
    if (office.port().sent != asked || office.sa().statistics().refused != 0) {
        state.SkipWithError("not every path is told");
    }
    state.counters["rate"] = static_cast<double>(asked) / seconds;
    state.counters["step_us"] = longest * 1e6;
}

/// GetTable of every path there is, acknowledged window by window.
void AllPaths(benchmark::State& state) {
    Office office(static_cast<std::uint32_t>(state.range(0)));
    std::uint64_t now_us = 0;
    std::uint64_t segments = 0;
    std::uint64_t asked = 0;
    double longest = 0;
    const double began = CpuSeconds();
    for (auto _ : state) {
        const Envelope question =
            office.Question(Method::kGetTable, office.hosts().front(), ++asked);
        office.sa().Take(question, now_us);
        std::uint32_t acknowledged = 0;
        do {
            const double step = CpuSeconds();
            office.sa().Step(now_us);
            longest = std::max(longest, CpuSeconds() - step);
            now_us += 100;
            const std::uint32_t heard = ToSaMad(office.port().last.mad).rmpp.segment;
            if (heard == acknowledged) continue;
            acknowledged = heard;
            Envelope ack = question;
            SaMad mad = ToSaMad(ack.mad);
            mad.rmpp = MakeRmppAck(heard, heard + 64);
            ack.mad = ToMad(mad);
            office.sa().Take(ack, now_us);
        } while (office.sa().transfers() != 0 || office.sa().waiting() != 0);
        segments += acknowledged;
    }
    const double seconds = CpuSeconds() - began;
    // 25 records of 64 octets fill eight segments of 200.
    const double records = static_cast<double>(segments) * kSaDataOctets / sizeof(PathRecord);
    if (office.sa().statistics().tables != asked) state.SkipWithError("no table");
    state.counters["rate"] = records / seconds;
    state.counters["records"] = records / static_cast<double>(state.iterations());
    state.counters["step_us"] = longest * 1e6;
    state.counters["row_bytes"] = sizeof(Transfer);
}

BENCHMARK(GetPaths)->Arg(16)->Arg(36)->Unit(benchmark::kMillisecond);
BENCHMARK(AllPaths)->Arg(16)->Unit(benchmark::kMillisecond)->Iterations(1);

}  // namespace
}  // namespace ember
