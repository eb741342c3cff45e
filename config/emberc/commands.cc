// SPDX-License-Identifier: Apache-2.0
// EmberSM: emberc compile, check, keygen, sign, verify, keys, codes.
#include "config/emberc/commands.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "config/blob/blob_reader.h"
#include "config/emberc/blob_file.h"
#include "config/emberc/conf.h"
#include "config/emberc/configuration.h"
#include "config/emberc/files.h"
#include "config/emberc/key_pair.h"
#include "config/emberc/keys.h"
#include "config/emberc/option_files/chain_members.h"
#include "config/emberc/option_files/contents_report.h"
#include "config/emberc/option_files/port_group_members.h"
#include "config/emberc/payload_writer.h"
#include "config/emberc/say.h"
#include "config/explain/host/isolation.h"

namespace ember::emberc {
namespace {

using nlohmann::json;

/// Octets of a file that are not UTF-8 must not stop a report on it.
std::string Dump(const json& facts) {
    return facts.dump(2, ' ', false, json::error_handler_t::replace);
}

/// JSON goes to standard output, diagnostics for people to standard error.
void Say(const Manner& manner, const json& facts, const std::string& sentence) {
    if (manner.json) {
        fmt::print("{}\n", Dump(facts));
    } else {
        emberc::Say(stdout, "{}\n", sentence);
    }
}

Configuration Read(const std::string& input, const ReadingTerms& terms, const Manner& manner) {
    Configuration read = ReadConfiguration(input, ReadText(input), terms);
    if (!manner.json) SayDiagnostics(stderr, read.reports, terms.showing);
    return read;
}

json Report(const Configuration& read) {
    json files = json::array();
    for (const Diagnostics& report : read.reports) {
        files.push_back(report.file());
    }
    return {{"file", read.reports.front().file()},
            {"files", files},
            {"errors", CountOf(read.reports, Severity::kError)},
            {"warnings", CountOf(read.reports, Severity::kWarning)},
            {"notes", CountOf(read.reports, Severity::kNote)},
            {"allowed", CountOf(read.reports, Severity::kAllowed)},
            {"partitions", PartitionCount(read.contents)},
            {"diagnostics", RenderJson(read.reports)}};
}

KeyPair ReadPrivateKey(const std::string& path) {
    try {
        return KeyPair::FromPem(ReadText(path));
    } catch (const FileError&) {
        throw;
    } catch (const std::runtime_error& error) {
        throw FileError(fmt::format("cannot use {}: {}", path, error.what()));
    }
}

std::unique_ptr<KeyPair> MaybePrivateKey(const std::string& path) {
    return path.empty() ? nullptr : std::make_unique<KeyPair>(ReadPrivateKey(path));
}

std::string Signer(const KeyPair* key) {
    return key == nullptr ? "unsigned: a switch refuses it until `emberc sign` has seen it"
                          : "signed by key " + Hex(IdOf(key->public_key()));
}

/// Memory that begins where a board's would.
struct alignas(64) Grain {
    std::array<std::byte, 64> octets;
};

/// Which boards accept a blob of so many octets: "the blob takes 512 octets and fits every board".
std::string FitOf(std::size_t octets, const std::vector<BoardRoom>& boards) {
    std::string too_small;
    for (const BoardRoom& board : boards) {
        if (octets <= board.blob_bytes) continue;
        too_small += fmt::format("{}{}, which takes {}", too_small.empty() ? "" : "; ", board.name,
                                 board.blob_bytes);
    }
    return fmt::format("the blob takes {} octets and {}", octets,
                       too_small.empty() ? "fits every board" : "does not fit " + too_small);
}

json SignerId(const KeyPair* key) {
    return key == nullptr ? json(nullptr) : json(Hex(IdOf(key->public_key())));
}

/// The ports of each group, where the configuration has groups.
void AddPortGroups(const Configuration& read, const net::Netlist& fabric, json& facts,
                   std::string& sentence) {
    facts["port_groups"] = json::array();
    if (!read.contents.port_groups) return;
    for (const PortGroupMembers& group : MembersOf(*read.contents.port_groups, fabric)) {
        json nodes = json::array();
        for (const NodePorts& node : group.nodes) {
            nodes.push_back({{"node", node.node}, {"ports", node.ports}});
        }
        facts["port_groups"].push_back(
            {{"name", group.name}, {"line", group.line}, {"nodes", nodes}});
        sentence += "\n" + AsLine(group);
    }
}

/// Adds what each step of the chain routes, where the configuration has one.
void AddChain(const Configuration& read, const net::Netlist& fabric, json& facts,
              std::string& sentence) {
    if (!read.contents.chain) return;
    const auto steps =
        MembersOf(*read.contents.chain, read.contents.port_groups.value_or(LoadedPortGroups{}),
                  read.contents.topologies.value_or(LoadedTopologies{}), fabric);
    facts["unicast_steps"] = json::array();
    for (const StepMembers& step : steps) {
        facts["unicast_steps"].push_back({{"id", step.id},
                                          {"engine", step.engine},
                                          {"topology", step.topology},
                                          {"switches", step.switches},
                                          {"hosts", step.hosts}});
        sentence += "\n" + AsLine(step);
    }
    facts["in_no_topology"] = OnlyInWhole(steps);  // The file's report warns of them.
}

}  // namespace

int Compile(const CompileRequest& request, const Manner& manner) {
    // A key that cannot be read is said before the file is gone through.
    const std::unique_ptr<KeyPair> key = MaybePrivateKey(request.private_key);
    const Configuration read = Read(request.input, request.terms, manner);
    json facts = Report(read);
    facts["blob"] = nullptr;
    if (!read.is_good) {
        const std::string sentence = fmt::format("{}: {}; no blob is written", request.input,
                                                 Summary(read.reports, request.terms.showing));
        if (manner.json) Say(manner, facts, sentence);
        if (!manner.json) emberc::Say(stderr, "{}\n", sentence);
        return kInputIsWrong;
    }
    const std::uint64_t counter = request.counter ? *request.counter : SourceDate();
    const std::vector<std::byte> blob =
        PutTogether(WritePayload(read.values(), read.contents), counter, key.get());
    WriteFile(request.output, blob, AccessTo(read.values()));
    facts["blob"] = {{"file", request.output},
                     {"octets", blob.size()},
                     {"counter", counter},
                     {"schema_version", kSchemaVersion},
                     {"key_id", SignerId(key.get())}};
    std::string sentence = fmt::format("{}: {} octets, schema {}, counter {}, {}\n", request.output,
                                       blob.size(), kSchemaVersion, counter, Signer(key.get()));
    if (!AreSilent(read.reports)) {
        sentence +=
            fmt::format("{}: {}\n", request.input, Summary(read.reports, request.terms.showing));
    }
    sentence += explain::IsolationText(PartitionCount(read.contents));
    Say(manner, facts, sentence);
    return kDone;
}

int Check(const CheckRequest& request, const Manner& manner) {
    const Configuration read = Read(request.input, request.terms, manner);
    json facts = Report(read);
    facts["offers"] = OffersFor(read);
    std::string sentence = fmt::format("{}: {}", read.reports.front().file(),
                                       Summary(read.reports, request.terms.showing));
    facts["blob_octets"] = nullptr;
    facts["boards"] = json::array();
    if (read.is_good) {
        const std::size_t octets =
            PutTogether(WritePayload(read.values(), read.contents), 1, nullptr).size();
        facts["blob_octets"] = octets;
        for (const BoardRoom& board : request.boards) {
            facts["boards"].push_back({{"board", board.name},
                                       {"blob_octets", board.blob_bytes},
                                       {"fits", octets <= board.blob_bytes}});
        }
        if (!request.boards.empty()) sentence += "\n" + FitOf(octets, request.boards);
    }
    if (read.is_good && request.terms.fabric != nullptr) {
        AddPortGroups(read, *request.terms.fabric, facts, sentence);
        AddChain(read, *request.terms.fabric, facts, sentence);
    }
    const bool shows_all = request.terms.showing == Showing::kAll;
    for (const std::string& offer : shows_all ? OffersFor(read) : std::vector<std::string>()) {
        sentence += "\n" + offer;
    }
    if (CountOf(read.reports, Severity::kError) == 0)
        sentence += "\n" + explain::IsolationText(PartitionCount(read.contents));
    Say(manner, facts, sentence);
    return read.is_good ? kDone : kInputIsWrong;
}

int Keygen(const KeygenRequest& request, const Manner& manner) {
    if (!request.force && std::filesystem::exists(request.private_key)) {
        throw FileError(
            fmt::format("{} is there already; blobs signed with it would be orphaned. "
                        "Use --force to replace it",
                        request.private_key));
    }
    const KeyPair pair = KeyPair::Generate();
    WriteText(request.private_key, pair.PrivatePem(), Access::kOwner);
    WriteText(request.public_key, PublicPem(pair.public_key()), Access::kEverybody);
    if (!request.header.empty()) {
        WriteText(request.header, PublicHeader(pair.public_key()), Access::kEverybody);
    }
    const std::string id = Hex(IdOf(pair.public_key()));
    Say(manner, {{"key_id", id}, {"private", request.private_key}, {"public", request.public_key}},
        fmt::format("key {}: private in {}, public in {}", id, request.private_key,
                    request.public_key));
    return kDone;
}

int Sign(const SignRequest& request, const Manner& manner) {
    const KeyPair key = ReadPrivateKey(request.private_key);
    const BlobParts parts = TakeApart(ReadFile(request.blob));
    if (parts.has_header && parts.header.schema_version > kSchemaVersion) {
        throw std::runtime_error("the blob was made by a newer emberc: sign it with that one");
    }
    const std::uint64_t own = parts.has_header ? std::uint64_t{parts.header.counter} : 0;
    const std::uint64_t counter = request.counter    ? *request.counter
                                  : parts.has_header ? own
                                                     : SourceDate();
    const std::optional<std::vector<Value>> values = ReadPayloadValues(parts.payload);
    if (!values) {
        throw std::runtime_error("the payload is no valid configuration");
    }
    const std::vector<std::byte> blob = PutTogether(parts.payload, counter, &key);
    const std::string& output = request.output.empty() ? request.blob : request.output;
    WriteFile(output, blob, AccessTo(*values));
    Say(manner,
        {{"file", output},
         {"octets", blob.size()},
         {"counter", counter},
         {"key_id", SignerId(&key)}},
        fmt::format("{}: counter {}, {}", output, counter, Signer(&key)));
    return kDone;
}

int Verify(const VerifyRequest& request, const Manner& manner) {
    const std::vector<std::byte> key_file = ReadFile(request.public_key);
    const Result<PublicKey> key = ParsePublicKey(key_file);
    if (!key.ok()) {
        throw FileError(fmt::format("cannot use {}: it holds no P-256 public key, raw or in PEM",
                                    request.public_key));
    }
    const std::vector<std::byte> file = ReadFile(request.blob);
    std::vector<Grain> buffer(file.size() / sizeof(Grain) + 1);
    std::vector<Grain> room(OptionRoomBytesFor(file.size()) / sizeof(Grain));
    const auto octets = std::as_writable_bytes(std::span(buffer));
    std::copy(file.begin(), file.end(), octets.begin());
    ember::Settings settings;
    const BlobReport report =
        ReadBlob(octets.first(file.size()), key.value(), request.oldest_counter,
                 OptionRoom{std::as_writable_bytes(std::span(room)), true}, settings);
    const std::string field =
        report.field.empty() ? "" : fmt::format(" ({})", std::string_view(report.field));
    Say(manner,
        {{"file", request.blob},
         {"accepted", report.accepted()},
         {"verdict", Explain(report.verdict)},
         {"field", report.field},
         {"counter", report.counter},
         {"schema_version", report.schema_version},
         {"room_octets", report.room_bytes},
         {"partitions", settings.manager_tables.partitions.size()},
         {"key_id", Hex(report.key_id)}},
        report.accepted()
            ? fmt::format("{}: accepted; schema {}, counter {}, signed by key {}\n{}", request.blob,
                          report.schema_version, report.counter, Hex(report.key_id),
                          explain::IsolationText(settings.manager_tables.partitions.size()))
            : fmt::format("{}: refused: {}{}", request.blob, Explain(report.verdict), field));
    return report.accepted() ? kDone : kBlobIsRefused;
}

int ListKeys(const KeysRequest& request, const Manner& manner) {
    if (!manner.json) {
        fmt::print("{}", request.markdown ? KeysAsMarkdown() : KeysAsText());
        return kDone;
    }
    json list = json::array();
    for (std::size_t i = 0; i < Keys().size(); ++i) {
        const Key& key = Keys()[i];
        list.push_back({{"name", key.name},
                        {"value", RangeOf(i)},
                        {"default", key.default_text},
                        {"acted_on", key.use == Use::kActedOn},
                        {"acts", NameOf(key.use)},
                        {"beside", key.beside.empty() ? json(nullptr) : json(key.beside)},
                        {"reread", key.update == Update::kReread},
                        {"class", NameOf(key.part)},
                        {"meaning", key.meaning}});
    }
    fmt::print("{}\n", Dump(list));
    return kDone;
}

int ListCodes(const CodesRequest& request, const Manner& manner) {
    if (!manner.json) {
        fmt::print("{}", request.mdoc ? CodesAsMdoc() : CodesAsText());
        return kDone;
    }
    json list = json::array();
    for (const CodeRow& row : kCodes) {
        list.push_back({{"code", row.word}, {"meaning", row.meaning}});
    }
    fmt::print("{}\n", Dump(list));
    return kDone;
}

}  // namespace ember::emberc
