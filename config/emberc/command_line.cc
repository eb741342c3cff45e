// SPDX-License-Identifier: Apache-2.0
// EmberSM: emberc's command line.
#include "config/emberc/command_line.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <fmt/format.h>
#include <functional>
#include <string>
#include <string_view>

#include "config/emberc/commands.h"
#include "config/emberc/configuration.h"
#include "config/emberc/files.h"
#include "config/emberc/plan/commands.h"
#include "config/emberc/plan/scene.h"
#include "config/emberc/say.h"
#include "config/emberc/suggestion.h"
#include "core/base/version.h"

namespace ember::emberc {
namespace {

constexpr const char* kFooter =
    "Exit status: 0 done, 1 errors in the configuration, 2 wrong usage, 3 trouble with a file, "
    "4 blob refused; a plan: 5 routing refused, 7 does not fit the board, 8 possible credit loop, "
    "10 safe routing only.";

PortKind PortKindOf(std::string_view word) {
    if (word == "umad") return PortKind::kUmad;
    return word == "mailbox" ? PortKind::kMailbox : PortKind::kSim;
}

/// All subcommands and what they were given; `work` is the one that was chosen.
class CommandLine {
public:
    CommandLine(std::span<const plan::Board> boards, const std::filesystem::path& default_folder)
        : boards_(boards), plan_(boards, default_folder) {
        terms_.default_folder = default_folder;
        for (const plan::Board& board : boards) {
            if (board.budget.blob_bytes == 0) continue;  // A host takes any.
            check_.boards.push_back({std::string(board.name), board.budget.blob_bytes});
        }
        app_.set_version_flag("--version", "emberc " + std::string(kEmberVersion));
        app_.require_subcommand(1);
        app_.footer(kFooter);
        AddCompile();
        AddCheck();
        AddShow();
        AddKeygen();
        AddSign();
        AddVerify();
        AddKeys();
        AddCodes();
        AddOptions();
        plan_.AddTo(app_, work_);
    }

    int Run(int argc, const char* const* argv) {
        try {
            app_.parse(argc, argv);
        } catch (const CLI::ParseError& error) {
            if (const std::string why = NoSuchCommand(app_); !why.empty()) {
                Say(stderr, "emberc: {}\n", why);
                return kUsageIsWrong;
            }
            return app_.exit(error) == 0 ? kDone : kUsageIsWrong;
        }
        manner_.json = json_ || format_ == "json";
        return work_();
    }

private:
    void AddFormat(CLI::App* command) {
        command->add_option("--format", format_, "text or json")
            ->check(CLI::IsMember({"text", "json"}));
        command->add_flag("--json", json_, "Same as --format=json");
    }

    /// Options of compile and check on how the file is read.
    void AddTerms(CLI::App* command) {
        AddFileTerms(*command, terms_);
        command
            ->add_option("-b,--board", terms_.board.name,
                         "The board of the switch that takes the blob; emberc boards lists them")
            ->type_name("NAME")
            ->check([this](const std::string& name) {
                const plan::Board* const board = plan::FindBoard(boards_, name);
                if (board == nullptr) return fmt::format("there is no board '{}'", name);
                terms_.board.limits = &board->limits;
                terms_.board.blob_bytes = board->budget.blob_bytes;
                terms_.board.has_ports = board->is_linux;
                return std::string();
            });
        command
            ->add_option_function<std::string>(
                "--port", [this](const std::string& word) { terms_.board.port = PortKindOf(word); },
                "How embersm will reach the fabric: umad, mailbox or sim")
            ->check(CLI::IsMember({"umad", "mailbox", "sim"}));
    }

    void AddCompile() {
        CLI::App* const command = app_.add_subcommand("compile", "Make a blob of an opensm.conf");
        command->add_option("FILE", compile_.input, "opensm.conf; - is standard input")->required();
        command->add_option("-o,--output", compile_.output, "The blob")->required();
        command->add_option("-k,--key", compile_.private_key,
                            "Private key in PEM; without one the blob is unsigned");
        command
            ->add_option("--counter", compile_.counter,
                         "Never less than that of the blob before; default: seconds since 1970")
            ->check(CLI::NonNegativeNumber);
        AddTerms(command);
        AddFormat(command);
        command->callback([this] {
            work_ = [this] {
                compile_.terms = terms_;
                return Compile(compile_, manner_);
            };
        });
    }

    void AddCheck() {
        CLI::App* const command =
            app_.add_subcommand("check", "Say what is wrong with an opensm.conf");
        command->add_option("FILE", check_.input, "opensm.conf; - is standard input")->required();
        command->add_option("--fabric", fabric_,
                            "Netlist of ibnetdiscover or ibsim, or a shape: which ports are in the "
                            "port groups of pgrp_policy_file there, what the steps of "
                            "rch_policy_file route, and what torus_config says otherwise");
        AddTerms(command);
        AddFormat(command);
        command->callback([this] {
            work_ = [this] {
                return plan::Guarded([this] {
                    check_.terms = terms_;
                    net::Netlist fabric;
                    if (!fabric_.empty()) {
                        fabric = plan::ReadFabric(fabric_);
                        check_.terms.fabric = &fabric;
                    }
                    return Check(check_, manner_);
                });
            };
        });
    }

    void AddShow() {
        CLI::App* const command =
            app_.add_subcommand("show", "Print what a blob holds, as an opensm.conf");
        command->add_option("BLOB", show_.blob, "The blob")->required();
        command->add_flag("--all", show_.all,
                          "Keys at their defaults too, and every entry of files");
        command->add_flag("--secrets", show_.secrets, "m_key, sm_key and sa_key too");
        AddFormat(command);
        command->callback([this] { work_ = [this] { return Show(show_, manner_); }; });
    }

    void AddKeygen() {
        CLI::App* const command = app_.add_subcommand("keygen", "Make a pair of keys");
        command->add_option("--private", keygen_.private_key, "File for the private key (mode 600)")
            ->required();
        command->add_option("--public", keygen_.public_key, "File for the public key")->required();
        command->add_option("--header", keygen_.header, "C++ header with the public key");
        command->add_flag("--force", keygen_.force, "Replace a private key that is there");
        AddFormat(command);
        command->callback([this] { work_ = [this] { return Keygen(keygen_, manner_); }; });
    }

    void AddSign() {
        CLI::App* const command =
            app_.add_subcommand("sign", "Sign a blob or a bare payload, anew if it was signed");
        command->add_option("BLOB", sign_.blob, "The blob")->required();
        command->add_option("-k,--key", sign_.private_key, "Private key in PEM")->required();
        command->add_option("-o,--output", sign_.output, "Default: in place");
        command->add_option("--counter", sign_.counter, "Default: the blob's own")
            ->check(CLI::NonNegativeNumber);
        AddFormat(command);
        command->callback([this] { work_ = [this] { return Sign(sign_, manner_); }; });
    }

    void AddVerify() {
        CLI::App* const command = app_.add_subcommand("verify", "Judge a blob as a switch would");
        command->add_option("BLOB", verify_.blob, "The blob")->required();
        command->add_option("-p,--public-key", verify_.public_key, "Public key in PEM or raw")
            ->required();
        command
            ->add_option("--oldest-counter", verify_.oldest_counter,
                         "Refuse a blob with a smaller counter")
            ->check(CLI::NonNegativeNumber);
        AddFormat(command);
        command->callback([this] { work_ = [this] { return Verify(verify_, manner_); }; });
    }

    void AddKeys() {
        CLI::App* const command = app_.add_subcommand("keys", "List every key of opensm.conf");
        command->add_flag("--markdown", keys_.markdown, "The page docs/configuration.md");
        AddFormat(command);
        command->callback([this] { work_ = [this] { return ListKeys(keys_, manner_); }; });
    }

    void AddCodes() {
        CLI::App* const command =
            app_.add_subcommand("codes", "List what diagnostics can be about");
        command->add_flag("--mdoc", codes_.mdoc, "The list in the manual page");
        AddFormat(command);
        command->callback([this] { work_ = [this] { return ListCodes(codes_, manner_); }; });
    }

    void AddOptions() {
        CLI::App* const command = app_.add_subcommand(
            "options",
            "Write the opensm.conf that means what OpenSM's command line means: "
            "emberc options -- opensm -R updn ...");
        command->add_option("-o,--output", options_.output, "Default: standard output");
        command->add_option("WORD", options_.words, "OpenSM's command line, behind --");
        command->callback([this] { work_ = [this] { return WriteOptions(options_); }; });
    }

    std::span<const plan::Board> boards_;
    CLI::App app_{
        "emberc: from an opensm.conf to a signed configuration blob, and fabrics on paper",
        "emberc"};
    std::function<int()> work_;
    Manner manner_;
    std::string format_ = "text";
    bool json_ = false;
    CompileRequest compile_;
    CheckRequest check_;
    std::string fabric_;  ///< Of check: a netlist or shape to look for port groups in, or empty.
    CodesRequest codes_;
    OptionsRequest options_;
    ReadingTerms terms_;
    ShowRequest show_;
    KeygenRequest keygen_;
    SignRequest sign_;
    VerifyRequest verify_;
    KeysRequest keys_;
    plan::Commands plan_;
};

}  // namespace

int Run(int argc, const char* const* argv, std::span<const plan::Board> boards,
        const std::filesystem::path& default_folder) {
    try {
        CommandLine line(boards, default_folder);
        return line.Run(argc, argv);
    } catch (const FileError& error) {
        Say(stderr, "emberc: {}\n", error.what());
        return kFileTrouble;
    } catch (const DateError& error) {
        Say(stderr, "emberc: {}\n", error.what());
        return kUsageIsWrong;
    } catch (const std::exception& error) {
        Say(stderr, "emberc: {}\n", error.what());
        return kBlobIsRefused;
    }
}

}  // namespace ember::emberc
