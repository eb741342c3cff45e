// SPDX-License-Identifier: Apache-2.0
// EmberSM: records of tables that only devices know.
#pragma once

#include <cstdint>
#include <span>

#include "core/administration/query/read_only_source.h"
#include "core/administration/records/device_tables.h"
#include "core/administration/records/port_walk.h"
#include "core/wire/p_key_table.h"
#include "core/wire/sl_to_vl_mapping_table.h"
#include "core/wire/vl_arbitration_table.h"

namespace ember {

/// A source that goes from table to table, and asks the device for each and for a few tables
/// beyond, so that an answer does not take a round trip a record. Tables that a device does not
/// tell are left out.
class DeviceRecords : public ReadOnlySource {
public:
    /// Both outlive the source.
    DeviceRecords(const AdministrationView& view, DeviceTables& tables)
        : view_(view), tables_(tables) {}

    [[nodiscard]] Found Next(const Query& query, Cursor& cursor, std::uint32_t& budget,
                             std::span<std::uint8_t> record) override;

protected:
    ~DeviceRecords() = default;

    /// A table that the question wants.
    struct Wanted {
        DeviceTables::Key key{};
        bool is_blank = false;  ///< Nothing to ask for: the record tells zeros.
    };
    /// Moves the cursor to the first wanted table at or behind it.
    [[nodiscard]] virtual Found Find(const Query& query, Cursor& cursor, std::uint32_t& budget,
                                     Wanted& wanted) const = 0;
    /// Writes the record of the table at the cursor.
    virtual void Make(const Cursor& cursor, const SmpData& data,
                      std::span<std::uint8_t> record) const = 0;

    [[nodiscard]] const AdministrationView& view() const { return view_; }
    [[nodiscard]] const Fabric& fabric() const { return view_.fabric; }
    /// The port that the cursor stands at.
    [[nodiscard]] PortIndex PortAt(const Cursor& cursor) const;

private:
    void WantMore(const Query& query, Cursor cursor, std::uint32_t& budget);

    const AdministrationView& view_;
    DeviceTables& tables_;
};

/// SLtoVLMappingTableRecord: each pair of ports of a switch, port 0 included, outputs outermost;
/// one for a port of a channel adapter, whose numbers are 0.
class SlToVlMappingTableRecords final : public DeviceRecords {
public:
    using DeviceRecords::DeviceRecords;

    [[nodiscard]] Traits traits() const override {
        return {.attribute = SaAttribute::kSlToVlMappingTableRecord,
                .record_octets = sizeof(SlToVlMappingTableRecord)};
    }

private:
    [[nodiscard]] Found Find(const Query& query, Cursor& cursor, std::uint32_t& budget,
                             Wanted& wanted) const override;
    void Make(const Cursor& cursor, const SmpData& data,
              std::span<std::uint8_t> record) const override;
};

/// VLArbitrationTableRecord: the four blocks of every port. A block that the port's VLArbitration
/// caps say it has not tells zeros.
class VlArbitrationTableRecords final : public DeviceRecords {
public:
    using DeviceRecords::DeviceRecords;

    [[nodiscard]] Traits traits() const override {
        return {.attribute = SaAttribute::kVlArbitrationTableRecord,
                .record_octets = sizeof(VlArbitrationTableRecord)};
    }

private:
    [[nodiscard]] Found Find(const Query& query, Cursor& cursor, std::uint32_t& budget,
                             Wanted& wanted) const override;
    void Make(const Cursor& cursor, const SmpData& data,
              std::span<std::uint8_t> record) const override;
};

/// P_KeyTableRecord, for the trusted only: the blocks of ports whose link is up, and of port 0 of
/// switches.
class PKeyTableRecords final : public DeviceRecords {
public:
    using DeviceRecords::DeviceRecords;

    [[nodiscard]] Traits traits() const override {
        return {.attribute = SaAttribute::kPKeyTableRecord,
                .record_octets = sizeof(PKeyTableRecord)};
    }
    [[nodiscard]] SaStatus Check(const Query& query) const override {
        return query.is_trusted ? SaStatus::kOk : SaStatus::kRequestInvalid;
    }

private:
    [[nodiscard]] Found Find(const Query& query, Cursor& cursor, std::uint32_t& budget,
                             Wanted& wanted) const override;
    void Make(const Cursor& cursor, const SmpData& data,
              std::span<std::uint8_t> record) const override;
    [[nodiscard]] std::uint32_t BlocksOf(PortIndex at) const;
};

}  // namespace ember
