// SPDX-License-Identifier: Apache-2.0
// EmberSM: records of tables that only devices know.
#pragma once

#include <cstdint>
#include <span>

#include "core/administration/device_tables.h"
#include "core/administration/port_walk.h"
#include "core/administration/record_source.h"
#include "core/wire/p_key_table_record.h"
#include "core/wire/sl_to_vl_mapping_table_record.h"
#include "core/wire/vl_arbitration_table_record.h"

namespace ember {

/// What sources of such records have in common: they go from table to table, ask the device for
/// each, and for a few tables beyond, so that an answer does not take a round trip a record. Tables
/// that a device does not tell are left out.
class DeviceRecords : public RecordSource {
public:
    [[nodiscard]] SaStatus Change(const Query& /*query*/,
                                  std::uint64_t /*now_us*/,
                                  std::span<std::uint8_t> /*record*/) override {
        return SaStatus::kUnsupportedMethod;
    }
    [[nodiscard]] Found Next(const Query& query,
                             Cursor& cursor,
                             std::uint32_t& budget,
                             std::span<std::uint8_t> record) override {
        return Tell(query, cursor, budget, record);
    }

protected:
    DeviceRecords(const AdministrationView& view, DeviceTables& tables)
        : view_(view), tables_(tables) {}
    ~DeviceRecords() = default;

    /// A table that the question wants.
    struct Wanted {
        DeviceTables::Key key{};
        bool is_blank = false;  ///< Nothing to ask for: the record tells zeros.
    };
    /// Moves the cursor to the first wanted table at or behind it.
    [[nodiscard]] virtual Found Find(const Query& query,
                                     Cursor& cursor,
                                     std::uint32_t& budget,
                                     Wanted& wanted) const = 0;
    /// Writes the record of the table at the cursor.
    virtual void Make(const Cursor& cursor,
                      const SmpData& data,
                      std::span<std::uint8_t> record) const = 0;

    [[nodiscard]] const Fabric& fabric() const { return view_.fabric; }
    /// The port that the cursor stands at.
    [[nodiscard]] PortIndex PortAt(const Cursor& cursor) const;

private:
    [[nodiscard]] Found Tell(const Query& query,
                             Cursor& cursor,
                             std::uint32_t& budget,
                             std::span<std::uint8_t> record);
    void WantMore(const Query& query, Cursor cursor, std::uint32_t& budget);

    const AdministrationView& view_;
    DeviceTables& tables_;
};

/// SLtoVLMappingTableRecord: each pair of ports of a switch, port 0 included, outputs outermost;
/// one for a port of a channel adapter, whose numbers are 0.
class SlToVlMappingTableRecords final : public DeviceRecords {
public:
    SlToVlMappingTableRecords(const AdministrationView& view, DeviceTables& tables)
        : DeviceRecords(view, tables) {}

    [[nodiscard]] Traits traits() const override {
        return {.attribute = SaAttribute::kSlToVlMappingTableRecord,
                .record_octets = sizeof(SlToVlMappingTableRecord)};
    }
    [[nodiscard]] SaStatus Check(const Query& /*query*/) const override { return SaStatus::kOk; }

protected:
    [[nodiscard]] Found Find(const Query& query,
                             Cursor& cursor,
                             std::uint32_t& budget,
                             Wanted& wanted) const override {
        return FindPair(query, cursor, budget, wanted);
    }
    void Make(const Cursor& cursor,
              const SmpData& data,
              std::span<std::uint8_t> record) const override {
        MakePair(cursor, data, record);
    }

private:
    [[nodiscard]] Found FindPair(const Query& query,
                                 Cursor& cursor,
                                 std::uint32_t& budget,
                                 Wanted& wanted) const;
    void MakePair(const Cursor& cursor, const SmpData& data, std::span<std::uint8_t> record) const;
};

/// VLArbitrationTableRecord: the four blocks of every port. A block that the port's VLArbitration
/// caps say it has not tells zeros.
class VlArbitrationTableRecords final : public DeviceRecords {
public:
    VlArbitrationTableRecords(const AdministrationView& view, DeviceTables& tables)
        : DeviceRecords(view, tables) {}

    [[nodiscard]] Traits traits() const override {
        return {.attribute = SaAttribute::kVlArbitrationTableRecord,
                .record_octets = sizeof(VlArbitrationTableRecord)};
    }
    [[nodiscard]] SaStatus Check(const Query& /*query*/) const override { return SaStatus::kOk; }

protected:
    [[nodiscard]] Found Find(const Query& query,
                             Cursor& cursor,
                             std::uint32_t& budget,
                             Wanted& wanted) const override {
        return FindBlock(query, cursor, budget, wanted);
    }
    void Make(const Cursor& cursor,
              const SmpData& data,
              std::span<std::uint8_t> record) const override {
        MakeBlock(cursor, data, record);
    }

private:
    [[nodiscard]] Found FindBlock(const Query& query,
                                  Cursor& cursor,
                                  std::uint32_t& budget,
                                  Wanted& wanted) const;
    void MakeBlock(const Cursor& cursor, const SmpData& data, std::span<std::uint8_t> record) const;
};

/// P_KeyTableRecord, for the trusted only: the blocks of ports whose link is up, and of port 0 of
/// switches.
class PKeyTableRecords final : public DeviceRecords {
public:
    PKeyTableRecords(const AdministrationView& view, DeviceTables& tables)
        : DeviceRecords(view, tables) {}

    [[nodiscard]] Traits traits() const override {
        return {.attribute = SaAttribute::kPKeyTableRecord,
                .record_octets = sizeof(PKeyTableRecord)};
    }
    [[nodiscard]] SaStatus Check(const Query& query) const override {
        return query.is_trusted ? SaStatus::kOk : SaStatus::kRequestInvalid;
    }

protected:
    [[nodiscard]] Found Find(const Query& query,
                             Cursor& cursor,
                             std::uint32_t& budget,
                             Wanted& wanted) const override {
        return FindBlock(query, cursor, budget, wanted);
    }
    void Make(const Cursor& cursor,
              const SmpData& data,
              std::span<std::uint8_t> record) const override {
        MakeBlock(cursor, data, record);
    }

private:
    [[nodiscard]] Found FindBlock(const Query& query,
                                  Cursor& cursor,
                                  std::uint32_t& budget,
                                  Wanted& wanted) const;
    [[nodiscard]] std::uint32_t BlocksOf(PortIndex at) const;
    void MakeBlock(const Cursor& cursor, const SmpData& data, std::span<std::uint8_t> record) const;
};

}  // namespace ember
