// SPDX-License-Identifier: Apache-2.0
// EmberSM: the seats that every embersm knows.

#include "platform/linux/embersm/seats.h"

#include <array>
#include <string>

#include "config/netlist/topologies.h"
#include "platform/linux/embersm/wanted_port.h"
#include "platform/linux/system/files.h"
#include "platform/sim/sim_bandwidth.h"

namespace ember {

namespace {

ExitStatus StatusFor(UmadFault fault) {
    switch (fault) {
        case UmadFault::kNone:
            return ExitStatus::kWell;
        case UmadFault::kNoPermission:
            return ExitStatus::kPermission;
        case UmadFault::kOccupied:
            return ExitStatus::kOccupied;
        case UmadFault::kNoDevice:
        case UmadFault::kNoSuchPort:
        case UmadFault::kBroken:
            break;
    }
    return ExitStatus::kDevice;
}

ExitStatus StatusFor(MailboxFault fault) {
    switch (fault) {
        case MailboxFault::kNone:
            return ExitStatus::kWell;
        case MailboxFault::kNoPermission:
            return ExitStatus::kPermission;
        case MailboxFault::kOccupied:
            return ExitStatus::kOccupied;
        case MailboxFault::kNoDevice:
        case MailboxFault::kBroken:
            break;
    }
    return ExitStatus::kDevice;
}

/// The netlist that --sim names: a file when it looks like one, else a shape.
net::Netlist NetlistFor(const Options& options, bool is_file, net::NetErrors& errors) {
    if (is_file) {
        std::string text;
        const std::string wrong = ReadText(options.simulated, "the netlist", text);
        if (wrong.empty()) return net::ParseNetlist(text, options.simulated, errors);
        errors.push_back(wrong);
        return {};
    }
    std::string wrong;
    net::Netlist netlist = net::TopologyByName(options.simulated, wrong);
    if (netlist.nodes.empty()) errors.push_back(wrong);
    return netlist;
}

}  // namespace

ExitStatus UmadSeat::Take(const Options& options, Guid wanted, std::string& absent) {
    const UmadOpening opening = port_.Open({options.ca, options.port, wanted});
    has_no_device_ = opening.fault == UmadFault::kNoDevice;
    if (has_no_device_ || opening.fault == UmadFault::kNoSuchPort) {
        absent = opening.sentence;
        return ExitStatus::kDevice;
    }
    if (opening.fault != UmadFault::kNone) {
        return Complain(StatusFor(opening.fault), opening.sentence);
    }
    if (!opening.link_is_up) {
        Complain(ExitStatus::kWell,
                 opening.sentence + " is down; nothing can be managed until it comes up");
    }
    own_port_ = opening.port_guid;
    waiting_.emplace(
        clock_, port_.descriptor(), &port_, [](const void* waited_for, std::uint64_t at_most_us) {
            return static_cast<const UmadPort*>(waited_for)->WaitForArrival(at_most_us);
        });
    return ExitStatus::kWell;
}

Outside UmadSeat::outside() {
    return {port_, clock_, entropy_, *waiting_, own_port_};
}

void UmadSeat::Leave() {
    port_.Close();
}

ExitStatus MailboxSeat::Take(const Options& options, Guid wanted, std::string& absent) {
    const std::string& path = options.mailbox_path;
    const bool is_uio = options.mailbox == Options::Mailbox::kUio;
    MailboxMapping& mapping = is_uio ? static_cast<MailboxMapping&>(uio_) : shared_;
    MailboxOpening opening = is_uio ? uio_.Open(path) : shared_.Open(path);
    if (opening.fault != MailboxFault::kNone) {
        return Complain(StatusFor(opening.fault), opening.sentence);
    }
    MailboxPort& port = port_.emplace(mapping.window(), clock_, mapping.doorbell());
    opening = OpenPort(port, mapping, path);
    if (opening.fault != MailboxFault::kNone) {
        return Complain(StatusFor(opening.fault), opening.sentence);
    }
    if (wanted != kNoGuid && wanted != port.port_guid()) {
        const std::array there = {port.port_guid()};
        port.Close();
        absent = ExplainNoPort(wanted, there);
        return ExitStatus::kDevice;
    }
    if (!port.link_is_up()) {
        Complain(ExitStatus::kWell,
                 path + " says that the port is down; nothing can be managed until it comes up");
    }
    waiting_.emplace(clock_, mapping);
    return ExitStatus::kWell;
}

Outside MailboxSeat::outside() {
    return {*port_, clock_, entropy_, *waiting_, port_->port_guid(), nullptr, &*port_};
}

void MailboxSeat::Leave() {
    port_->Close();
}

ExitStatus SimSeat::Take(const Options& options, Guid wanted, std::string& absent) {
    const bool is_file = LooksLikeFile(options.simulated);
    net::NetErrors errors;
    const net::Netlist netlist = NetlistFor(options, is_file, errors);
    for (const std::string& error : errors) {
        Complain(ExitStatus::kWell, error);
    }
    if (netlist.nodes.empty()) return is_file ? ExitStatus::kFile : ExitStatus::kUsage;
    sim::FabricSim::Options chance;
    chance.faults.seed = options.seed;
    sim::FabricSim& fabric = fabric_.emplace(netlist, chance);
    port_ = fabric.AttachAt(wanted);
    if (port_ == nullptr) {
        absent = ExplainNoPort(wanted, fabric.EndPorts());
        return ExitStatus::kDevice;
    }
    entropy_.emplace(options.seed);
    waiting_.emplace(fabric);
    return ExitStatus::kWell;
}

Outside SimSeat::outside() {
    const Guid own = fabric_->world().port(port_->row()).guid;
    return {*port_, fabric_->clock(), *entropy_, *waiting_, own, &*waiting_};
}

const BandwidthCodec* SimSeat::SimCodec() {
    static constexpr sim::SimBandwidth kCodec;
    return &kCodec;
}

void SimSeat::Leave() {}

}  // namespace ember
