// SPDX-License-Identifier: Apache-2.0
// EmberSM: what emberctl writes is there whole or not at all, and follows no link.

#include "platform/linux/emberctl/output_file.h"

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <sys/stat.h>

#include "platform/linux/emberctl/client.h"

namespace ember::ctl {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class OutputFileTest : public ::testing::Test {
protected:
    OutputFileTest() {
        std::string pattern = fs::temp_directory_path() / "ember-output-XXXXXX";
        folder_ = mkdtemp(pattern.data());
        Put("page", "old");
    }
    ~OutputFileTest() override { fs::remove_all(folder_); }

    void Put(const std::string& name, const std::string& text) const {
        std::ofstream(folder_ / name) << text;
    }
    [[nodiscard]] std::string Read(const std::string& name) const {
        std::ifstream file(folder_ / name);
        return {std::istreambuf_iterator<char>(file), {}};
    }
    [[nodiscard]] std::size_t files() const {
        return static_cast<std::size_t>(
            std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
    }
    /// The sentence of the trouble that `act` has.
    template <typename Act>
    static std::string Refusal(Act act) {
        try {
            act();
        } catch (const Trouble& trouble) {
            EXPECT_EQ(trouble.status(), kUnwritable);
            return trouble.what();
        }
        return "";
    }

    fs::path folder_;
};

TEST_F(OutputFileTest, TakesOnItsNameWhenItIsWhole) {
    const OutputDirectory directory(folder_);
    OutputFile file(directory, "page");
    file.Write("void");
    file.Clear();
    file.Write("ne");
    EXPECT_EQ(Read("page"), "old");
    file.Write("w");
    file.Commit();
    EXPECT_EQ(Read("page"), "new");
    EXPECT_EQ(files(), 1U);
}

TEST_F(OutputFileTest, LeavesNothingBehindWithoutACommit) {
    const OutputDirectory directory(folder_);
    {
        OutputFile file(directory, "page");
        file.Write("half");
        EXPECT_EQ(files(), 2U);
    }
    EXPECT_EQ(files(), 1U);
    EXPECT_EQ(Read("page"), "old");
}

TEST_F(OutputFileTest, IsNoPrometheusFileBeforeItIsWhole) {
    const OutputDirectory directory(folder_);
    const OutputFile file(directory, "other.prom");
    for (const fs::directory_entry& entry : fs::directory_iterator(folder_)) {
        EXPECT_NE(entry.path().extension(), ".prom") << entry.path();
    }
}

TEST_F(OutputFileTest, PassesOverWhatOneThatWasKilledHasLeft) {
    const OutputDirectory directory(folder_);
    const OutputFile first(directory, "page");  // `first` has the first of the names.
    OutputFile second(directory, "page");
    second.Write("second");
    second.Commit();
    EXPECT_EQ(Read("page"), "second");
}

TEST_F(OutputFileTest, TakesAwayWhatOneThatWasKilledHasLeft) {
    Put(".page.4711-0", "half");
    Put(".page.4711-12", "half");
    for (const char* const other : {".page.4711", ".page.-1", ".page.47x1-0", ".pages.4711-0"}) {
        Put(other, "of others");
    }
    fs::create_symlink(folder_ / "page", folder_ / ".page.4712-0");
    const std::size_t before = files();
    const OutputDirectory directory(folder_);
    {
        const OutputFile alive(directory, "page");
        EXPECT_EQ(files(), before - 2 + 1);
        OutputFile file(directory, "page");
        EXPECT_EQ(files(), before - 2 + 2) << "one that is being written is left alone";
        file.Commit();
    }
    EXPECT_EQ(files(), before - 2);
}

TEST_F(OutputFileTest, NeverTakesThePlaceOfALinkOrOfADevice) {
    fs::create_symlink(folder_ / "page", folder_ / "link");
    fs::create_directory(folder_ / "folder");
    ASSERT_EQ(mkfifo((folder_ / "pipe").c_str(), 0600), 0);
    const OutputDirectory directory(folder_);
    for (const char* const name : {"link", "folder", "pipe"}) {
        EXPECT_THAT(Refusal([&] { OutputFile(directory, name); }), HasSubstr("no regular file"));
        directory.Remove(name);
        EXPECT_TRUE(fs::exists(folder_ / name)) << name;
    }
    OutputFile late(directory, "late");
    fs::create_symlink(folder_ / "page", folder_ / "late");
    EXPECT_THAT(Refusal([&] { late.Commit(); }), HasSubstr("no regular file"));
    EXPECT_EQ(Read("page"), "old");
    directory.Remove("page");
    EXPECT_FALSE(fs::exists(folder_ / "page"));
}

TEST_F(OutputFileTest, SaysWhyADirectoryWillNotDo) {
    fs::create_directory_symlink(folder_, folder_ / "alias");
    EXPECT_THAT(Refusal([&] { OutputDirectory(folder_ / "alias"); }), HasSubstr("symbolic link"));
    EXPECT_THAT(Refusal([&] { OutputDirectory(folder_ / "none"); }),
                HasSubstr("No such file or directory"));
    EXPECT_THAT(Refusal([&] { OutputDirectory(folder_ / "page"); }), HasSubstr("Not a directory"));
    const OutputDirectory directory(folder_);
    EXPECT_THAT(Refusal([&] { OutputFile(directory, "none/page"); }), HasSubstr("cannot write"));
}

}  // namespace
}  // namespace ember::ctl
