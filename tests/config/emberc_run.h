// SPDX-License-Identifier: Apache-2.0
// EmberSM: runs of emberc, as the shell sees them.
#pragma once

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "board/boards.h"
#include "config/emberc/command_line.h"

namespace ember::test {

/// A run of emberc: what the shell would see.
struct Answer {
    int status = 0;
    std::string out;
    std::string error;
};

/// Runs emberc. Files that no option names are those in `default_folder`, never this machine's in
/// /etc/opensm.
inline Answer Emberc(const std::vector<std::string>& words,
                     const std::filesystem::path& default_folder = "no-such-folder") {
    std::vector<const char*> arguments = {"emberc"};
    for (const std::string& word : words) {
        arguments.push_back(word.c_str());
    }
    ::testing::internal::CaptureStdout();
    ::testing::internal::CaptureStderr();
    Answer run;
    run.status =
        emberc::Run(static_cast<int>(arguments.size()), arguments.data(), Boards(), default_folder);
    std::fflush(nullptr);
    run.out = ::testing::internal::GetCapturedStdout();
    run.error = ::testing::internal::GetCapturedStderr();
    return run;
}

/// A folder that goes away with the test.
class Folder {
public:
    Folder() {
        std::string name = (std::filesystem::temp_directory_path() / "emberXXXXXX").string();
        EXPECT_NE(mkdtemp(name.data()), nullptr);
        path_ = name;
    }
    ~Folder() { std::filesystem::remove_all(path_); }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;

    [[nodiscard]] std::string File(std::string_view name) const { return path_ / name; }
    std::string Write(std::string_view name, std::string_view text) const {
        std::filesystem::create_directories(std::filesystem::path(File(name)).parent_path());
        std::ofstream(File(name)) << text;
        return File(name);
    }
    [[nodiscard]] std::string Read(std::string_view name) const {
        std::ostringstream text;
        text << std::ifstream(File(name)).rdbuf();
        return text.str();
    }

private:
    std::filesystem::path path_;
};

}  // namespace ember::test
