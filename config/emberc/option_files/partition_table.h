// SPDX-License-Identifier: Apache-2.0
// EmberSM: the partitions of a file while it is read.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "config/emberc/option_files/partition_conf.h"
#include "config/emberc/option_files/partition_words.h"
#include "core/base/ids.h"

namespace ember::emberc {

/// A membership, and where it was said.
struct Said {
    Membership membership{};
    bool is_first = false;
    std::uint32_t line = 0;    ///< 0: it is said by no line.
    std::uint32_t number = 0;  ///< Members of the file that were said before.
};
using Member = std::variant<PortClass, Guid>;

/// Partitions by P_Key, and how members that are said several times overrule each other.
class PartitionTable {
public:
    /// The default partition is there: all ports are limited members, the subnet manager's is full.
    PartitionTable(LineReader& reader, Diagnostics& diagnostics);

    /// The partition of a definition, old or new, whichever of name and P_Key stand there. A
    /// definition that makes no sense is reported; nothing is the answer then.
    [[nodiscard]] std::optional<std::uint16_t> Define(const Word& name,
                                                      const std::optional<Word>& p_key);
    /// Sets the service level of partition `p_key`; a contradiction is reported.
    void SetSl(std::uint16_t p_key, std::uint8_t sl, const Word& at);
    void SetIp(std::uint16_t p_key);
    /// Makes a port or a class a member, which overrules what was said before.
    void Put(std::uint16_t p_key, const Member& member, Said said, const Word& at);

    [[nodiscard]] std::size_t defined() const { return defined_; }

    /// The rows but groups. Reports what only the whole file shows.
    [[nodiscard]] PartitionConf Rows();

private:
    struct Partition {
        std::string name;
        std::vector<std::string> other_names;
        Spot spot;
        std::uint32_t line = 0;
        std::optional<std::uint8_t> sl;
        bool is_ip = false;
        bool is_generated = false;
        std::array<std::optional<Said>, kPortClasses> classes;
        std::map<Guid, Said> ports;
    };

    [[nodiscard]] std::optional<std::uint16_t> ByName(const Word& name);
    [[nodiscard]] std::optional<std::uint16_t> ByNumber(const Word& name, const Word& number);
    [[nodiscard]] std::optional<std::uint16_t> Add(std::uint16_t p_key, const Word& name,
                                                   const Word& at);
    [[nodiscard]] bool IsName(const Word& name);
    void CheckOverruled(const Partition& partition, PortClass ports, const Said& said,
                        const Word& at);
    void CheckSelf();

    LineReader& reader_;
    Diagnostics& diagnostics_;
    std::map<std::uint16_t, Partition> partitions_;
    std::array<Spot, kPortClasses> default_spots_;  ///< Of the classes of the default partition.
    std::uint32_t said_ = 0;
    std::size_t port_count_ = 0;
    std::size_t defined_ = 0;
};

}  // namespace ember::emberc
