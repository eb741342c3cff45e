// SPDX-License-Identifier: Apache-2.0
// EmberSM: the simulated subnet management agent: keys, and all attributes but PortInfo.
#include "platform/sim/sma.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "platform/sim/sim_bandwidth.h"

namespace ember::sim {
namespace {

constexpr std::size_t kMKeyInBody = offsetof(LidSmp, m_key) - sizeof(MadHeader);
constexpr std::size_t kDataInBody = offsetof(LidSmp, data) - sizeof(MadHeader);

void Copy(std::span<const std::uint8_t> from, SmpData& to) {
    std::copy(from.begin(), from.end(), to.begin());
}

void Store(const SmpData& from, std::span<std::uint8_t> to) {
    std::copy_n(from.begin(), to.size(), to.begin());
}

/// Reads or writes 64 octets of a table.
std::uint16_t Exchange(std::span<std::uint8_t> block, bool set, SmpData& data) {
    if (block.empty()) return kMadStatusInvalidField;
    if (set) Store(data, block);
    Copy(block, data);
    return 0;
}

}  // namespace

bool MKeyFits(const PortInfo& info, const Mad& mad) {
    Be<std::uint64_t> m_key;
    std::memcpy(&m_key, mad.body.data() + kMKeyInBody, sizeof(m_key));
    const std::uint64_t own_key = info.Get(PortInfo::kMKey);
    return own_key == 0 || own_key == m_key;
}

bool Sma::IsGuarded(std::uint32_t row, const Mad& mad) const {
    const Method method = mad.header.method;
    if (method != Method::kGet && method != Method::kSet) return false;
    const PortInfo& info = world_.port(world_.ManagementRow(row)).info;
    if (MKeyFits(info, mad)) return false;
    return method == Method::kSet || info.Get(PortInfo::kMKeyProtectBits) >= 2;
}

bool Sma::Answer(std::uint32_t row, Mad& mad, std::uint64_t now_ns) {
    MadHeader& header = mad.header;
    const bool get = header.method == Method::kGet;
    const bool set = header.method == Method::kSet;
    if (IsResponse(header.method) || header.method == Method::kTrap) return false;
    const PortInfo& guard = world_.port(world_.ManagementRow(row)).info;
    const Request request{row, world_.port(row).node, header.attribute_modifier, set,
                          MKeyFits(guard, mad)};
    if (!CheckMKey(request, now_ns)) return false;

    SmpData data{};
    std::memcpy(data.data(), mad.body.data() + kDataInBody, data.size());
    std::uint16_t status = 0;
    if (header.base_version != kBaseVersion || header.class_version != kSubnClassVersion) {
        status = kMadStatusBadVersion;
    } else if (!get && !set) {
        status = kMadStatusBadMethod;
    } else {
        if (get) data.fill(0);
        status = Dispatch(request, header.attribute_id, data);
    }
    std::memcpy(mad.body.data() + kDataInBody, data.data(), data.size());
    header.method = Method::kGetResp;
    header.status = status;
    return true;
}

/// IBA vol. 1, 14.2.4: who may read and who may write, by M_KeyProtectBits. A request that may not
/// is dropped, counted, and starts the lease. Its end makes the M_Key readable, and leaves it: to
/// write still takes it.
bool Sma::CheckMKey(const Request& request, std::uint64_t now_ns) {
    SimPort& port = world_.port(world_.ManagementRow(request.row));
    if (request.key_fits) {
        port.m_key_lease_ns = 0;
        return true;
    }
    PortInfo& info = port.info;
    if (port.m_key_lease_ns != 0 && now_ns >= port.m_key_lease_ns) {
        info.Set(PortInfo::kMKeyProtectBits, std::uint8_t{0});
        port.m_key_lease_ns = 0;
    }
    const bool may_read = info.Get(PortInfo::kMKeyProtectBits) < 2;
    if (!request.set && may_read) return true;
    const std::uint16_t violations = info.Get(PortInfo::kMKeyViolations);
    if (violations != 0xFFFF) {
        info.Set(PortInfo::kMKeyViolations, static_cast<std::uint16_t>(violations + 1));
    }
    const std::uint64_t lease_s = info.Get(PortInfo::kMKeyLeasePeriod);
    if (lease_s != 0 && port.m_key_lease_ns == 0) {
        port.m_key_lease_ns = now_ns + lease_s * 1'000'000'000ULL;
    }
    return false;
}

std::uint16_t Sma::Dispatch(const Request& request, AttributeId attribute, SmpData& data) {
    const bool read_only =
        attribute == AttributeId::kNodeInfo || attribute == AttributeId::kNodeDescription;
    if (read_only && request.set) return kMadStatusBadMethodAttribute;
    // Its number is a vendor's, which AttributeId has no name for.
    if (attribute == kSimBandwidth) return DoBandwidth(request, data);
    switch (attribute) {
        case AttributeId::kNodeDescription:
            data = world_.node(request.node).description;
            return 0;
        case AttributeId::kNodeInfo:
            return GetNodeInfo(request, data);
        case AttributeId::kSwitchInfo:
            return DoSwitchInfo(request, data);
        case AttributeId::kGuidInfo:
            return DoGuidInfo(request, data);
        case AttributeId::kPortInfo:
            return DoPortInfo(request, data);
        case AttributeId::kPKeyTable:
            return DoPKeyTable(request, data);
        case AttributeId::kSlToVlMappingTable:
            return DoSlToVl(request, data);
        case AttributeId::kVlArbitrationTable:
            return DoVlArbitration(request, data);
        case AttributeId::kLinearForwardingTable:
            return DoLinearForwarding(request, data);
        case AttributeId::kMulticastForwardingTable:
            return DoMulticastForwarding(request, data);
        case AttributeId::kVendorDiag:
            return DoVendorDiag(request, data);
        case AttributeId::kLedInfo:
            return DoLedInfo(request, data);
        case AttributeId::kClassPortInfo:
        case AttributeId::kNotice:
        case AttributeId::kInformInfo:
        case AttributeId::kRandomForwardingTable:
        case AttributeId::kSmInfo:
        default:
            return kMadStatusBadMethodAttribute;
    }
}

std::uint32_t Sma::RowNamed(const Request& request, std::uint32_t number) const {
    const SimNode& node = world_.node(request.node);
    if (!node.is_switch() && number == 0) return request.row;
    return number > node.port_count ? kNoRow : node.first_row + number;
}

std::uint16_t Sma::GetNodeInfo(const Request& request, SmpData& data) const {
    NodeInfo info = world_.node(request.node).info;
    const SimPort& management = world_.port(world_.ManagementRow(request.row));
    info.Set(NodeInfo::kPortGuid, management.guid);
    info.Set(NodeInfo::kLocalPortNum, PortNumber{world_.port(request.row).number});
    data = info.octets();
    return 0;
}

std::uint16_t Sma::DoSwitchInfo(const Request& request, SmpData& data) {
    SimNode& node = world_.node(request.node);
    if (!node.is_switch()) return kMadStatusBadMethodAttribute;
    if (request.modifier != 0) return kMadStatusInvalidField;
    SwitchInfo& now = node.switch_info;
    if (request.set) {
        const auto wanted = std::bit_cast<SwitchInfo>(data);
        if (Raw(wanted.Get(SwitchInfo::kLinearFdbTop)) >= now.Get(SwitchInfo::kLinearFdbCap)) {
            return kMadStatusInvalidField;
        }
        now.Set(SwitchInfo::kLinearFdbTop, wanted.Get(SwitchInfo::kLinearFdbTop));
        now.Set(SwitchInfo::kDefaultPort, wanted.Get(SwitchInfo::kDefaultPort));
        now.Set(SwitchInfo::kDefaultMulticastPrimaryPort,
                wanted.Get(SwitchInfo::kDefaultMulticastPrimaryPort));
        now.Set(SwitchInfo::kDefaultMulticastNotPrimaryPort,
                wanted.Get(SwitchInfo::kDefaultMulticastNotPrimaryPort));
        now.Set(SwitchInfo::kLifeTimeValue, wanted.Get(SwitchInfo::kLifeTimeValue));
        now.Set(SwitchInfo::kMulticastFdbTop, wanted.Get(SwitchInfo::kMulticastFdbTop));
        if (wanted.Get(SwitchInfo::kPortStateChange) != 0) {
            now.Set(SwitchInfo::kPortStateChange, std::uint8_t{0});
        }
        world_.NoteRouteChange();
    }
    data = now.octets();
    return 0;
}

std::uint16_t Sma::DoGuidInfo(const Request& request, SmpData& data) {
    const std::span<std::uint8_t> block = world_.GuidBlock(world_.ManagementRow(request.row));
    if (request.modifier != 0) return kMadStatusInvalidField;      // GUIDCap 8: one block.
    if (request.set) std::copy_n(block.begin(), 8, data.begin());  // Entry 0 is the port's own.
    return Exchange(block, request.set, data);
}

std::uint16_t Sma::DoPKeyTable(const Request& request, SmpData& data) {
    const bool at_switch = world_.node(request.node).is_switch();
    const std::uint32_t row = at_switch ? RowNamed(request, request.modifier >> 16U) : request.row;
    if (row == kNoRow) return kMadStatusInvalidField;
    const std::uint32_t block = request.modifier & 0xFFFFU;
    const std::uint16_t status = Exchange(world_.PKeyBlock(row, block), request.set, data);
    if (request.set && status == 0) world_.NotifyPKeysWritten(row, block);
    return status;
}

/// Modifier at a switch: output port in octet 0, input port in octet 1; bits 16 and 17 stand for
/// all output and all input ports. IBA vol. 1, 14.2.5.8.
std::uint16_t Sma::DoSlToVl(const Request& request, SmpData& data) {
    const SimNode& node = world_.node(request.node);
    if (!node.is_switch()) {
        return Exchange(world_.SlToVl(request.row, 0, 0), request.set, data);
    }
    const std::uint32_t out = request.modifier & 0xFFU;
    const std::uint32_t in = request.modifier >> 8U & 0xFFU;
    const bool wild = (request.modifier & 0x30000U) != 0;
    if (out > node.port_count || in > node.port_count) return kMadStatusInvalidField;
    if (wild && !request.set) return kMadStatusInvalidField;
    if (wild) return SetSlToVlRow(request, data);
    return Exchange(world_.SlToVl(request.row, in, out), request.set, data);
}

std::uint16_t Sma::SetSlToVlRow(const Request& request, const SmpData& data) {
    const SimNode& node = world_.node(request.node);
    const std::uint32_t out = request.modifier & 0xFFU;
    const std::uint32_t in = request.modifier >> 8U & 0xFFU;
    const bool every_out = (request.modifier & 0x10000U) != 0;
    const bool every_in = (request.modifier & 0x20000U) != 0;
    for (std::uint32_t from = every_in ? 0 : in; from <= (every_in ? node.port_count : in);
         ++from) {
        for (std::uint32_t to = every_out ? 0 : out; to <= (every_out ? node.port_count : out);
             ++to) {
            Store(data, world_.SlToVl(request.row, from, to));
        }
    }
    return 0;
}

std::uint16_t Sma::DoVlArbitration(const Request& request, SmpData& data) {
    const bool at_switch = world_.node(request.node).is_switch();
    const std::uint32_t row =
        at_switch ? RowNamed(request, request.modifier & 0xFFFFU) : request.row;
    if (row == kNoRow) return kMadStatusInvalidField;
    return Exchange(world_.VlArbBlock(row, request.modifier >> 16U), request.set, data);
}

/// The limits are kept, not obeyed: no data is simulated.
std::uint16_t Sma::DoBandwidth(const Request& request, SmpData& data) {
    const bool is_host = !world_.node(request.node).is_switch();
    if (!is_host || !world_.hardware().takes_bandwidth) return kMadStatusBadMethodAttribute;
    const std::uint32_t row = RowNamed(request, request.modifier >> 8U);
    if (row == kNoRow) return kMadStatusInvalidField;
    return Exchange(world_.BandwidthBlock(row, request.modifier & 0xFFU), request.set, data);
}

std::uint16_t Sma::DoLinearForwarding(const Request& request, SmpData& data) {
    if (!world_.node(request.node).is_switch()) return kMadStatusBadMethodAttribute;
    if (request.modifier >= 1024) return kMadStatusInvalidField;
    const bool done = request.set ? world_.WriteLftBlock(request.node, request.modifier, data)
                                  : world_.ReadLftBlock(request.node, request.modifier, data);
    return done ? std::uint16_t{0} : kMadStatusInvalidField;
}

std::uint16_t Sma::DoMulticastForwarding(const Request& request, SmpData& data) {
    if (!world_.node(request.node).is_switch()) return kMadStatusBadMethodAttribute;
    const std::uint32_t block = request.modifier & 0x0FFFFFFFU;
    if (block >= 1024) return kMadStatusInvalidField;
    const std::uint16_t status =
        Exchange(world_.MftBlock(request.node, block, request.modifier >> 28U), request.set, data);
    if (request.set && status == 0) world_.NotifyMftWritten(request.node, block);
    return status;
}

/// No diagnostic has found anything, ever: simulated chips do not wear out.
std::uint16_t Sma::DoVendorDiag(const Request& request, SmpData& data) const {
    if (request.set) return kMadStatusBadMethodAttribute;
    data.fill(0);
    return RowNamed(request, request.modifier & 0xFFU) == kNoRow ? kMadStatusInvalidField
                                                                 : std::uint16_t{0};
}

std::uint16_t Sma::DoLedInfo(const Request& request, SmpData& data) {
    SimNode& node = world_.node(request.node);
    if (node.is_switch()) return kMadStatusBadMethodAttribute;
    if (request.set) node.led = (data[0] & 0x80U) != 0;
    data.fill(0);
    data[0] = node.led ? 0x80 : 0;
    return 0;
}

}  // namespace ember::sim
