// SPDX-License-Identifier: Apache-2.0
// EmberSM: the port that somebody names by its GUID.

#include "platform/linux/embersm/wanted_port.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <vector>

#include "core/log/fixed_text.h"

namespace ember {

namespace {

/// Reads another store and writes nothing to it. Saves are forgotten with this object, but read
/// back until then: a trial that is given up is over at once.
class Reading final : public Store {
public:
    explicit Reading(Store& below) : below_(below) {}
    Status Save(StoreSlot slot, std::span<const std::byte> octets) override {
        saved_[slot].assign(octets.begin(), octets.end());
        return Status::kOk;
    }
    Result<std::size_t> Load(StoreSlot slot, std::span<std::byte> octets) override {
        const auto found = saved_.find(slot);
        if (found == saved_.end()) return below_.Load(slot, octets);
        if (found->second.size() > octets.size()) return Status::kFull;
        std::copy(found->second.begin(), found->second.end(), octets.begin());
        return found->second.size();
    }

private:
    Store& below_;
    std::map<StoreSlot, std::vector<std::byte>> saved_;
};

}  // namespace

std::string FindPortWish(const Options& options, Store& store, const ConfigurationRoom& room,
                         Settings& settings, PortWish& wish) {
    wish = {options.guid, false};
    Reading reading(store);
    ConfigurationReport report;
    std::string wrong =
        Configure({options.blob, options.public_key}, reading, room, settings, report);
    if (wish.guid == kNoGuid && settings.guid != kNoGuid) wish = {settings.guid, true};
    return wrong;
}

std::string ExplainNoPort(Guid wanted, std::span<const Guid> there) {
    constexpr std::size_t kMostListed = 8;
    std::array<char, 512> room{};
    FixedText text(room);
    text.Add("no port with port GUID 0x").AddHex(Raw(wanted), 16).Add("; there is");
    const char* comma = " 0x";
    for (const Guid guid : there.first(std::min(there.size(), kMostListed))) {
        text.Add(comma).AddHex(Raw(guid), 16);
        comma = ", 0x";
    }
    if (there.size() > kMostListed)
        text.Add(" and ").AddNumber(there.size() - kMostListed).Add(" more");
    return std::string(text.text());
}

}  // namespace ember
