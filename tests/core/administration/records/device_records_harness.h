// SPDX-License-Identifier: Apache-2.0
// EmberSM: devices with tables, and who asks for these.
#pragma once

#include <array>
#include <bit>
#include <gtest/gtest.h>
#include <map>
#include <span>
#include <tuple>
#include <vector>

#include "core/administration/query/matching.h"
#include "core/administration/records/device_records.h"
#include "core/wire/p_key_table.h"
#include "core/wire/sl_to_vl_mapping_table.h"
#include "core/wire/vl_arbitration_table.h"
#include "tests/core/administration/record_net.h"
#include "tests/core/administration/records/told_records.h"

namespace ember::testing {

inline constexpr std::uint16_t kNoSuchTable = 0x1C;

/// Devices that answer with the port they are and the modifier they were asked with; those in
/// `refuses` refuse, those in `silent` say nothing, which the test ends by turning the clock.
class DeviceRecordsTest : public ::testing::Test {
protected:
    DeviceRecordsTest()
        : transactions_(64), due_(64), exchange_({transactions_, due_}, devices_, entropy_) {
        exchange_.Configure(net_.settings());
        ForEachPort(net_.fabric(), [](PortIndex, Port& port) {
            port.info.Set(PortInfo::kVlArbitrationLowCap, std::uint8_t{64});
            port.info.Set(PortInfo::kVlArbitrationHighCap, std::uint8_t{64});
        });
    }

    static SmpData Signed(PortIndex port, std::uint32_t modifier) {
        SmpData data{};
        for (unsigned i = 0; i < 4; ++i) {
            data[i] = static_cast<std::uint8_t>(Raw(port) >> 8U * i);
            data[4 + i] = static_cast<std::uint8_t>(modifier >> 8U * i);
        }
        return data;
    }

    /// A step of the owner: asks for what is wanted, and hears the answers.
    void Serve() {
        now_us_ += 1000;
        tables_.Step(now_us_);
        devices_.AnswerAll(exchange_, now_us_,
                           [this](const Answer& answer) { tables_.Hear(answer, now_us_); });
        Answer answer{};
        while (exchange_.Expire(now_us_, answer)) {
            tables_.Hear(answer, now_us_);
        }
        most_ = std::max(most_, exchange_.in_flight());
    }
    Told Ask(RecordSource& source, std::uint64_t mask, std::span<const std::uint8_t> record) {
        return net_.Ask(source, mask, record, 1000, [this] { Serve(); });
    }

    RecordNet net_;
    std::uint16_t refusal_ = 0;
    Devices devices_{net_, [this](PortIndex port, const DirectedSmp& request, SmpData& data) {
                         data = Signed(port, request.header.attribute_modifier);
                         return refusal_;
                     }};
    FixedEntropy entropy_;
    std::vector<Exchange::Transaction> transactions_;
    std::vector<DueQueue::Entry> due_;
    Exchange exchange_;
    DeviceTables tables_{net_.view(), exchange_};
    SlToVlMappingTableRecords lanes_{net_.view(), tables_};
    VlArbitrationTableRecords arbitration_{net_.view(), tables_};
    PKeyTableRecords keys_{net_.view(), tables_};
    std::uint64_t now_us_ = 0;
    std::size_t most_ = 0;
};

}  // namespace ember::testing
