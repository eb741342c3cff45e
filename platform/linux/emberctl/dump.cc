// SPDX-License-Identifier: Apache-2.0
// EmberSM: emberctl's end of a dump.

#include "platform/linux/emberctl/dump.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "platform/linux/emberctl/answer.h"
#include "platform/linux/emberctl/client.h"
#include "platform/linux/emberctl/interrupt.h"
#include "platform/linux/emberctl/output_file.h"

namespace ember::ctl {

namespace {

using Json = nlohmann::ordered_json;
using Files = std::deque<OutputFile>;  // Files in a deque do not move.

/// Taken from the connection in one call, at most.
constexpr std::uint64_t kMostAtOnce = 65536;

/// Takes what follows {"bytes":N}.
void TakeOctets(Connection& connection, std::uint64_t bytes, OutputFile& file) {
    while (bytes > 0) {
        const std::string octets =
            connection.Octets(static_cast<std::size_t>(std::min(bytes, kMostAtOnce)));
        file.Write(octets);
        bytes -= octets.size();
        Interrupt::Check();
    }
}

/// A name that leads elsewhere is not the subnet manager's.
void BeginFile(const OutputDirectory& directory, const Json& line, Files& files) {
    const std::string name = line.value("file", "");
    const bool holds_keys = line.value("holds_keys", false);
    if (!files.empty() && files.back().name() == name) return files.back().Clear();
    if (name.empty() || name.front() == '.' || name.find('/') != std::string::npos) {
        throw Trouble(kUnreachable, "what answers there is no subnet manager");
    }
    files.emplace_back(directory, name,
                       holds_keys ? OutputFile::Reader::kOwner : OutputFile::Reader::kAnyone);
}

/// Takes what comes, up to the line with "ok". Returns how many octets the other end has counted.
std::uint64_t TakeFiles(Connection& connection, const OutputDirectory& directory, Files& files) {
    for (;;) {  // Ends with the answer's last line, or with a trouble.
        const Json line = ParseAnswer(connection.Line());
        if (line.contains("ok")) {
            if (line.value("ok", false)) return line.value("bytes", std::uint64_t{0});
            throw Trouble(kRefused, line.value("error", "the subnet manager refused"));
        }
        if (line.contains("file")) {
            BeginFile(directory, line, files);
        } else if (line.contains("bytes") && !files.empty()) {
            TakeOctets(connection, line.value("bytes", std::uint64_t{0}), files.back());
        } else {
            break;
        }
    }
    throw Trouble(kUnreachable, "what answers there is no subnet manager");
}

std::string NamesOf(const Files& files, std::size_t count) {
    std::string names;
    for (std::size_t i = 0; i < count; ++i) {
        names += (i == 0 ? "" : ", ") + files[i].name();
    }
    return names;
}

void CommitAll(Files& files) {
    std::size_t done = 0;
    try {
        for (OutputFile& file : files) {
            file.Commit();
            ++done;
        }
    } catch (const Trouble& trouble) {
        const std::string state =
            done == 0 ? "no file is new"
                      : fmt::format("of this dump are {}, and no others", NamesOf(files, done));
        throw Trouble(trouble.status(), fmt::format("{}; {}", trouble.what(), state));
    }
}

}  // namespace

DumpResult Dump(const std::string& socket, const std::string& directory, int seconds) {
    const OutputDirectory output(directory);
    const Interrupt interrupt;
    Files files;
    DumpResult result;
    try {
        Connection connection(socket, seconds);
        connection.Send("dump\n");
        result.bytes = TakeFiles(connection, output, files);
    } catch (const Trouble& trouble) {
        throw Trouble(trouble.status(), fmt::format("{}; no file is new", trouble.what()));
    } catch (const nlohmann::json::exception&) {  // A value of another type.
        throw Trouble(kUnreachable, "what answers there is no subnet manager; no file is new");
    }
    CommitAll(files);
    for (const OutputFile& file : files) {
        result.files.push_back(file.name());
    }
    return result;
}

}  // namespace ember::ctl
