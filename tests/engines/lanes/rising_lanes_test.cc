// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of lanes that rise inside the path.
//
// Goal:   no lane falls on a path, each rises where the path breaks the order, and what is missing
//         is told by its name.
// Method: paths are walked link by link over tables of minhop, with the SL of the path and of the
//         path back.

#include "engines/lanes/rising_lanes.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <vector>

#include "core/graph/hops.h"
#include "engines/auto/switch_order.h"
#include "tests/engines/balance/balance_nets.h"
#include "tests/engines/balance/measured.h"
#include "tests/support/lane_run.h"

namespace ember {
namespace {

using testing::Net;
using testing::RoutingRun;

/// Lanes and memory for a run.
struct Room {
    std::uint8_t lanes = 8;
    std::size_t path_sl_bytes = 64U << 10U;
    std::size_t lane_map_words = 32U << 10U;
};

/// The lanes for the balanced tables of minhop.
class Rise {
public:
    explicit Rise(const Net& net, const Room& room = {})
        : run_(net.Build(), testing::WithLanes(8)),
          sls_(room.path_sl_bytes),
          words_(room.lane_map_words) {
        Engines engines;
        EXPECT_TRUE(run_.Route(*engines.Find("minhop"), testing::Balanced()).may_program());
        topology_.Build(run_.built().fabric(), Order::kBalanced, run_.scratch());
        lanes_.path_sl = PathSl(sls_);
        lanes_.lane_map = LaneMap(words_);
        order_.Begin(topology_, MeasureHops(), run_.scratch());
        order_.Arrange(false);
        for (const SwitchIndex at : topology_.switches_by_guid()) {
            if (!topology_.IsMere(at)) senders_.push_back(at);
        }
        RoutingTask task;
        task.topology = &topology_;
        task.tables = {.lfts = run_.lfts(), .lanes = &lanes_};
        task.max_lanes = room.lanes;
        task.scratch = &run_.scratch();
        const std::size_t before = run_.scratch().used_bytes();
        rising_.Begin(task, {.switches = senders_, .order = order_.from_top()});
        EXPECT_LE(run_.scratch().used_bytes() - before, RisingLanes::ScratchBytes(topology_));
        Result<Progress> progress = Progress::kMore;
        while (progress.ok() && progress.value() == Progress::kMore) {
            progress = rising_.Advance();
        }
        is_ok_ = progress.ok();
    }

    [[nodiscard]] bool is_ok() const { return is_ok_; }
    [[nodiscard]] EngineFault fault() const { return rising_.complaint().what; }
    [[nodiscard]] const RoutingLanes& lanes() const { return lanes_; }

    /// Of all pairs of switches with end ports: turns at which a packet is on a lower lane than
    /// before, or on the same one though it goes up after down.
    [[nodiscard]] std::size_t CountFalls() {
        std::size_t falls = 0;
        for (const SwitchIndex from : senders_) {
            for (const Destination& to : topology_.destinations()) {
                if (to.at == from || topology_.IsMere(to.at)) continue;
                const std::uint8_t sl =
                    lanes_.path_sl.Of({.from = from, .to = to.at, .lid = to.lid});
                EXPECT_EQ(sl, lanes_.path_sl.Of({.from = to.at, .to = from, .lid = to.lid}));
                EXPECT_NE(lanes_.sls >> sl & 1U, 0U);
                falls += CountFallsOn(sl, from, to);
            }
        }
        return falls;
    }

private:
    [[nodiscard]] Matrix<SwitchIndex, const std::uint8_t> MeasureHops() {
        const std::size_t bound = topology_.switch_bound();
        hops_.resize(bound * HopStride(bound));
        HopMeter meter;
        meter.Begin(topology_, {}, {hops_, HopShape(bound)}, run_.scratch());
        while (meter.Advance() == Progress::kMore) {
        }
        return {hops_, HopShape(bound)};
    }
    [[nodiscard]] std::size_t CountFallsOn(std::uint8_t sl, SwitchIndex from,
                                           const Destination& to) {
        std::size_t falls = 0;
        SwitchIndex at = from;
        PortNumber in = kManagementPort;
        bool goes_down = false;
        unsigned held = 0;
        while (at != to.at) {
            const auto out = static_cast<PortNumber>(run_.lfts()[at][Raw(to.lid)]);
            const Exit& exit = topology_.exit(at, out);
            const unsigned lane = lanes_.lane_map.Of({.at = at, .in = in, .out = out}, sl);
            EXPECT_LT(lane, lanes_.count);
            const bool is_up = order_.IsUp(at, exit.peer);
            const unsigned least = held + (goes_down && is_up ? 1U : 0U);
            falls += lane < least ? 1U : 0U;
            held = lane;
            goes_down = !is_up;
            in = exit.peer_port;
            at = exit.peer;
        }
        // The links to hosts have the first lane.
        EXPECT_EQ(lanes_.lane_map.Of({.at = at, .in = in, .out = to.port}, sl), 0U);
        return falls;
    }

    RoutingRun run_;
    std::vector<std::uint8_t> hops_;
    Topology topology_;
    SwitchOrder order_;
    std::vector<SwitchIndex> senders_;
    std::vector<std::uint8_t> sls_;
    std::vector<std::uint64_t> words_;
    RoutingLanes lanes_;
    RisingLanes rising_;
    bool is_ok_ = false;
};

const Net kRandom = {.shape = "random:2,32,6:2"};

TEST(RisingLanes, NeverFallOnAPathAndRiseWhereItBreaksTheOrder) {
    for (const char* const shape : {"random:1,125,12:8", "random:2,32,6:2", "random:3,48,4:1",
                                    "random:9,64,5:3", "ring:8:2", "torus:6x5:2"}) {
        SCOPED_TRACE(shape);
        Rise rise({.shape = shape});
        ASSERT_TRUE(rise.is_ok());
        EXPECT_GE(rise.lanes().count, 2U);
        EXPECT_LE(rise.lanes().count, 3U);
        EXPECT_EQ(rise.CountFalls(), 0U);
    }
}

TEST(RisingLanes, LeaveALaneAloneWhereNoPathBreaksTheOrder) {
    Rise rise({.shape = "ring:3:1"});
    ASSERT_TRUE(rise.is_ok());
    EXPECT_TRUE(rise.lanes().is_one_lane());
    EXPECT_EQ(rise.lanes().lane_map.form(), LaneMap::Form::kIdentity);
    EXPECT_EQ(rise.lanes().path_sl.form(), PathSl::Form::kNone);
}

TEST(RisingLanes, NameWhatIsTooLittle) {
    const Rise lane(kRandom, {.lanes = 1});
    EXPECT_FALSE(lane.is_ok());
    EXPECT_EQ(lane.fault(), EngineFault::kBoardLanes);
    const Rise map(kRandom, {.lane_map_words = 8});
    EXPECT_FALSE(map.is_ok());
    EXPECT_EQ(map.fault(), EngineFault::kNoLaneMapBytes);
    const Rise levels({.shape = "random:3,48,4:1"}, {.path_sl_bytes = 8});
    EXPECT_FALSE(levels.is_ok());
    EXPECT_EQ(levels.fault(), EngineFault::kNoPathSlBytes);
    const Rise torus({.shape = "torus:8x8x8:1"}, {.path_sl_bytes = 256U << 10U});
    EXPECT_FALSE(torus.is_ok());
    EXPECT_EQ(torus.fault(), EngineFault::kManyLevels);
}

}  // namespace
}  // namespace ember
