// SPDX-License-Identifier: Apache-2.0
// EmberSM: rows of option files that are the same in a blob and in the core, number by number.
#pragma once

#include "config/schema/settings_generated.h"
#include "core/base/ids.h"
#include "core/settings/settings.h"

namespace ember::option_files {

// Rows of a blob and rows of the core, one into the other. A number is the same in both.

[[nodiscard]] inline GuidNumber CoreRow(const schema::GuidNumber& row) {
    return {.guid = Guid{row.guid()}, .number = row.number()};
}
[[nodiscard]] inline schema::GuidNumber WireRow(const GuidNumber& row) {
    return {Raw(row.guid), row.number};
}

[[nodiscard]] inline HopWeight CoreRow(const schema::HopWeight& row) {
    return {.guid = Guid{row.guid()}, .port = PortNumber{row.port()}, .hops = row.hops()};
}
[[nodiscard]] inline schema::HopWeight WireRow(const HopWeight& row) {
    return {Raw(row.guid), Raw(row.port), row.hops};
}

[[nodiscard]] inline SwitchPort CoreRow(const schema::SwitchPort& row) {
    return {.guid = Guid{row.guid()}, .port = PortNumber{row.port()}};
}
[[nodiscard]] inline schema::SwitchPort WireRow(const SwitchPort& row) {
    return {Raw(row.guid), Raw(row.port)};
}

[[nodiscard]] inline PortMKey CoreRow(const schema::PortMKey& row) {
    return {.guid = Guid{row.guid()}, .m_key = row.m_key()};
}
[[nodiscard]] inline schema::PortMKey WireRow(const PortMKey& row) {
    return {Raw(row.guid), row.m_key};
}

[[nodiscard]] inline PortLids CoreRow(const schema::PortLids& row) {
    return {.guid = Guid{row.guid()}, .least = Lid{row.least()}, .most = Lid{row.most()}};
}
[[nodiscard]] inline schema::PortLids WireRow(const PortLids& row) {
    return {Raw(row.guid), Raw(row.least), Raw(row.most)};
}

[[nodiscard]] inline Neighbor CoreRow(const schema::Neighbor& row) {
    return {.guid = Guid{row.guid()}, .port = PortNumber{row.port()}, .peer = Guid{row.peer()}};
}
[[nodiscard]] inline schema::Neighbor WireRow(const Neighbor& row) {
    return {Raw(row.guid), Raw(row.peer), Raw(row.port)};
}

[[nodiscard]] inline PrefixRoute CoreRow(const schema::PrefixRoute& row) {
    return {.prefix = row.prefix(), .router = Guid{row.router()}};
}
[[nodiscard]] inline schema::PrefixRoute WireRow(const PrefixRoute& row) {
    return {row.prefix, Raw(row.router)};
}

[[nodiscard]] inline LidOwner CoreRow(const schema::LidOwner& row) {
    return {.lid = Lid{row.lid()}, .port_guid = Guid{row.port_guid()}};
}
[[nodiscard]] inline schema::LidOwner WireRow(const LidOwner& row) {
    return {Raw(row.port_guid), Raw(row.lid)};
}

}  // namespace ember::option_files
