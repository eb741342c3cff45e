// SPDX-License-Identifier: Apache-2.0
// EmberSM: agents of the simulated fabric that say what they like, attribute by attribute.
#pragma once

#include <bit>
#include <cstdint>
#include <functional>
#include <utility>

#include "core/wire/smp.h"
#include "platform/sim/liar.h"
#include "tests/support/sim_world.h"

namespace ember::testing {

/// Changes answers in one world, until it is told to be honest, or dies.
class FreeLiar final : public sim::Liar {
public:
    using Change = std::function<void(std::uint32_t node, const Mad& asked, Mad& answer)>;

    explicit FreeLiar(SimWorld& world) : world_(world) {}
    ~FreeLiar() { BeHonest(); }
    FreeLiar(const FreeLiar&) = delete;
    FreeLiar& operator=(const FreeLiar&) = delete;

    /// From now on `change` is done to every answer of every agent.
    void Lie(Change change) {
        change_ = std::move(change);
        world_.sim().SetLiar(this);
    }
    /// The same to those of `node` about an attribute `id`, whose layout is Info.
    template <typename Info>
    void LieAbout(std::uint32_t node, AttributeId id,
                  std::function<void(Info& info, const Mad& asked)> change) {
        Lie([=](std::uint32_t who, const Mad& asked, Mad& mad) {
            if (who != node || mad.header.attribute_id != id) return;
            auto smp = std::bit_cast<LidSmp>(mad);
            auto info = std::bit_cast<Info>(smp.data);
            change(info, asked);
            smp.data = info.octets();
            mad = std::bit_cast<Mad>(smp);
        });
    }
    void BeHonest() { world_.sim().SetLiar(nullptr); }

    bool Answer(std::uint32_t node, const Mad& asked, Mad& answer) override {
        change_(node, asked, answer);
        return true;
    }

private:
    SimWorld& world_;
    Change change_;
};

}  // namespace ember::testing
