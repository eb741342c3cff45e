// SPDX-License-Identifier: Apache-2.0
// EmberSM: what emberc does, a function for each subcommand.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/emberc/configuration.h"

namespace ember::emberc {

/// The exit status of emberc.
enum ExitStatus : int {
    kDone = 0,
    kInputIsWrong = 1,   ///< Errors in a configuration file, or warnings under --strict.
    kUsageIsWrong = 2,   ///< The command line makes no sense.
    kFileTrouble = 3,    ///< A file cannot be read or written, or holds no key.
    kBlobIsRefused = 4,  ///< A blob is not what it should be.
    // Of a plan. embersm --once uses the same numbers from 7 on.
    kRoutingIsRefused = 5,      ///< No routing engine was accepted.
    kBoardIsTooSmall = 7,       ///< The fabric does not fit the board.
    kCreditLoopIsPossible = 8,  ///< The routing is accepted and may deadlock.
    kRoutingIsSafeOnly = 10,    ///< No routing engine was accepted, but the safe routing was.
};

/// How to speak.
struct Manner {
    bool json = false;  ///< A JSON document on standard output instead of text.
};

struct CompileRequest {
    std::string input;
    std::string output;
    std::string private_key;  ///< Empty: unsigned.
    std::optional<std::uint64_t> counter;
    ReadingTerms terms;
};
[[nodiscard]] int Compile(const CompileRequest& request, const Manner& manner);

/// A board, and the largest blob that it accepts.
struct BoardRoom {
    std::string name;
    std::size_t blob_bytes = 0;
};

struct CheckRequest {
    std::string input;
    ReadingTerms terms;
    std::vector<BoardRoom> boards;  ///< Boards to compare the size of the blob with.
};
[[nodiscard]] int Check(const CheckRequest& request, const Manner& manner);

struct ShowRequest {
    std::string blob;
    bool all = false;      ///< Keys at their defaults too, and every entry of option files.
    bool secrets = false;  ///< Values of IsSecret() too.
};
[[nodiscard]] int Show(const ShowRequest& request, const Manner& manner);

struct KeygenRequest {
    std::string private_key;
    std::string public_key;
    std::string header;  ///< A C++ header for boards, or empty.
    bool force = false;  ///< Replace a private key that is there.
};
[[nodiscard]] int Keygen(const KeygenRequest& request, const Manner& manner);

struct SignRequest {
    std::string blob;
    std::string output;  ///< Empty: in place.
    std::string private_key;
    std::optional<std::uint64_t>
        counter;  ///< None: the blob's own, or the time for a bare payload.
};
[[nodiscard]] int Sign(const SignRequest& request, const Manner& manner);

struct VerifyRequest {
    std::string blob;
    std::string public_key;
    std::uint64_t oldest_counter = 0;
};
[[nodiscard]] int Verify(const VerifyRequest& request, const Manner& manner);

struct KeysRequest {
    bool markdown = false;
};
[[nodiscard]] int ListKeys(const KeysRequest& request, const Manner& manner);

struct OptionsRequest {
    std::vector<std::string> words;  ///< A command line of OpenSM.
    std::string output;              ///< Empty: standard output.
};
/// Writes the opensm.conf that means what the command line of OpenSM means.
[[nodiscard]] int WriteOptions(const OptionsRequest& request);

struct CodesRequest {
    bool mdoc = false;  ///< As emberc(1) has them.
};
[[nodiscard]] int ListCodes(const CodesRequest& request, const Manner& manner);

}  // namespace ember::emberc
