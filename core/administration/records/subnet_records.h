// SPDX-License-Identifier: Apache-2.0
// EmberSM: records of what is known of the subnet: nodes, ports, switches, tables, links, SMs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/administration/query/read_only_source.h"
#include "core/fabric/managers.h"
#include "core/multicast/mft_tables.h"
#include "core/wire/linear_forwarding_table.h"
#include "core/wire/link_record.h"
#include "core/wire/multicast_forwarding_table.h"
#include "core/wire/node_info.h"
#include "core/wire/port_info_record.h"
#include "core/wire/sm_info.h"
#include "core/wire/switch_info.h"

namespace ember {

/// A source of records of one layout, with the view, which outlives it.
template <SaAttribute kAttribute, typename Record>
class SubnetRecords : public ReadOnlySource {
public:
    explicit SubnetRecords(const AdministrationView& view) : view_(view) {}
    [[nodiscard]] Traits traits() const override {
        return {.attribute = kAttribute, .record_octets = sizeof(Record)};
    }

protected:
    ~SubnetRecords() = default;
    [[nodiscard]] const AdministrationView& view() const { return view_; }

private:
    const AdministrationView& view_;
};

/// NodeRecord: one for each port that has a LID. A question by LID, PortGUID or NodeGUID looks at
/// one node only. The description is compared up to its first zero.
class NodeRecords final : public SubnetRecords<SaAttribute::kNodeRecord, NodeRecord> {
public:
    using SubnetRecords::SubnetRecords;
    [[nodiscard]] Found Next(const Query& query, Cursor& cursor, std::uint32_t& budget,
                             std::span<std::uint8_t> record) override;

private:
    [[nodiscard]] NodeRecord Make(PortIndex at) const;
};

/// PortInfoRecord: every port that was heard of, external ports of switches included, as last read
/// or acknowledged. The M_Key is told to trusted requesters only, to others as 0; it is compared as
/// told. A port at an extended speed shows QDR in the fields of the old speeds too, unless the
/// question's Options say that it knows the new ones; asked Options come back as they were asked.
/// With bit 31 of the AttributeModifier the CapabilityMask asked for names bits that must be set.
class PortInfoRecords final : public SubnetRecords<SaAttribute::kPortInfoRecord, PortInfoRecord> {
public:
    using SubnetRecords::SubnetRecords;
    [[nodiscard]] Found Next(const Query& query, Cursor& cursor, std::uint32_t& budget,
                             std::span<std::uint8_t> record) override;

private:
    [[nodiscard]] PortInfoRecord Make(const Query& query, PortIndex at) const;
};

/// SwitchInfoRecord: every switch, as last read or acknowledged.
class SwitchInfoRecords final
    : public SubnetRecords<SaAttribute::kSwitchInfoRecord, SwitchInfoRecord> {
public:
    using SubnetRecords::SubnetRecords;
    [[nodiscard]] Found Next(const Query& query, Cursor& cursor, std::uint32_t& budget,
                             std::span<std::uint8_t> record) override;
};

/// LinearForwardingTableRecord: what the switches are known to have, block by block up to their
/// LinearFDBTop. A question for one block looks at no other.
class LinearForwardingTableRecords final
    : public SubnetRecords<SaAttribute::kLinearForwardingTableRecord, LinearForwardingTableRecord> {
public:
    using SubnetRecords::SubnetRecords;
    [[nodiscard]] Found Next(const Query& query, Cursor& cursor, std::uint32_t& budget,
                             std::span<std::uint8_t> record) override;
};

/// MulticastForwardingTableRecord: of every switch the blocks up to the last one in which it has an
/// entry, at all positions that its ports need. IBA vol. 1, 15.2.5.8.
class MulticastForwardingTableRecords final
    : public SubnetRecords<SaAttribute::kMulticastForwardingTableRecord,
                           MulticastForwardingTableRecord> {
public:
    MulticastForwardingTableRecords(const AdministrationView& view, const MftTables& tables)
        : SubnetRecords(view), tables_(tables) {}

    [[nodiscard]] Found Next(const Query& query, Cursor& cursor, std::uint32_t& budget,
                             std::span<std::uint8_t> record) override;

private:
    [[nodiscard]] std::size_t BlocksOf(SwitchIndex at) const;

    const MftTables& tables_;
};

/// LinkRecord: each link twice, once from each end. A question by either LID looks at the ports of
/// that node only. The requester must share a partition with both ends, and they with each other.
class LinkRecords final : public SubnetRecords<SaAttribute::kLinkRecord, LinkRecord> {
public:
    using SubnetRecords::SubnetRecords;
    [[nodiscard]] Found Next(const Query& query, Cursor& cursor, std::uint32_t& budget,
                             std::span<std::uint8_t> record) override;

private:
    [[nodiscard]] bool Make(const Query& query, PortIndex from, LinkRecord& record) const;
};

/// SMInfoRecord: this SM and those that took part in the last election. The SM_Key is told
/// as 0 to every requester.
class SmInfoRecords final : public SubnetRecords<SaAttribute::kSmInfoRecord, SmInfoRecord> {
public:
    SmInfoRecords(const AdministrationView& view, const Managers& managers)
        : SubnetRecords(view), managers_(managers) {}

    [[nodiscard]] Found Next(const Query& query, Cursor& cursor, std::uint32_t& budget,
                             std::span<std::uint8_t> record) override;

private:
    const Managers& managers_;
};

}  // namespace ember
