// SPDX-License-Identifier: Apache-2.0
// EmberSM: a management port that keeps what it was given.
#pragma once

#include <bit>
#include <cstdint>
#include <deque>

#include "core/platform.h"
#include "core/wire/smp.h"

namespace ember {

/// Takes datagrams until `room` is used up, then says kBusy; or says what `status` says.
class FakePort final : public MadPort {
public:
    Status Send(const Envelope& envelope) override {
        ++calls;
        if (status != Status::kOk) return status;
        if (room == 0) return Status::kBusy;
        --room;
        sent.push_back(envelope);
        return Status::kOk;
    }
    Status Receive(Envelope& /*envelope*/) override { return Status::kBusy; }

    Status status = Status::kOk;
    std::uint64_t room = ~std::uint64_t{0};
    std::uint64_t calls = 0;
    std::deque<Envelope> sent;
};

/// A counter that has been stirred: unpredictable enough, and the same in every run.
class FakeEntropy final : public Entropy {
public:
    explicit FakeEntropy(std::uint64_t seed = 1) : state_(seed) {}
    [[nodiscard]] std::uint64_t Draw() override {
        state_ += 0x9E3779B97F4A7C15;
        std::uint64_t mixed = (state_ ^ (state_ >> 30)) * 0xBF58476D1CE4E5B9;
        mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EB;
        return mixed ^ (mixed >> 31);
    }

private:
    std::uint64_t state_;
};

/// The response of an SMA: the request with a response method, a status and its data.
inline Envelope ResponseTo(const Envelope& request, std::uint16_t status = 0,
                           std::uint8_t first_octet = 0) {
    Envelope response = request;
    auto smp = std::bit_cast<DirectedSmp>(request.mad);
    smp.header.method = Method::kGetResp;
    const bool is_directed = smp.header.mgmt_class == MgmtClass::kSubnDirected;
    smp.header.status = static_cast<std::uint16_t>(status | (is_directed ? kDirectionBit : 0));
    smp.data[0] = first_octet;
    response.mad = std::bit_cast<Mad>(smp);
    return response;
}

}  // namespace ember
