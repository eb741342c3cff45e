// SPDX-License-Identifier: Apache-2.0
// EmberSM: the names of nodes at OpenSM's default place.
#include <filesystem>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "config/emberc/commands.h"
#include "tests/config/emberc_run.h"

namespace ember::test {
namespace {

class DefaultNamesTest : public testing::Test {
protected:
    Answer Compile(std::string_view conf, const std::vector<std::string>& options = {}) {
        std::vector<std::string> words = {"compile", folder_.Write("opensm.conf", conf), "-o",
                                          folder_.File("blob")};
        words.insert(words.end(), options.begin(), options.end());
        return Emberc(words, folder_.File("etc"));
    }
    /// The line of `show` about the names in the blob.
    [[nodiscard]] std::string Names() const {
        const std::string shown = Emberc({"show", folder_.File("blob")}).out;
        const std::size_t begin = shown.find("# node_name_map_name: ");
        return begin == std::string::npos ? ""
                                          : shown.substr(begin, shown.find('\n', begin) - begin);
    }

    Folder folder_;
};

TEST_F(DefaultNamesTest, GoIntoTheBlobAndAreTold) {
    const std::string path = folder_.Write("etc/ib-node-name-map", "0x1 \"Zürich\"\n");
    for (const std::string_view conf : {"lmc 1\n", "node_name_map_name (null)\n",
                                        "node_name_map_name /etc/rdma/ib-node-name-map\n"}) {
        const Answer read = Compile(conf);
        EXPECT_EQ(read.status, emberc::kDone) << read.error;
        const bool is_named = conf.find("rdma") != std::string_view::npos;
        EXPECT_EQ(read.error.find("note: " + path +
                                  " of this host goes into the blob, as the default of "
                                  "node_name_map_name; --no-default-files leaves it alone") ==
                      std::string::npos,
                  is_named)
            << read.error;
        EXPECT_EQ(Names(), "# node_name_map_name: 1 names") << conf;
    }
}

TEST_F(DefaultNamesTest, AreLeftAloneWhenAskedOrWhenTheSiteHasItsOwn) {
    const std::string path = folder_.Write("etc/ib-node-name-map", "0x1 \"spine\"\n");
    EXPECT_EQ(Compile("lmc 1\n", {"--no-default-files", "--strict"}).error, "");
    EXPECT_EQ(Names(), "");
    folder_.Write("own", "0x1 \"spine\"\n0x2 \"leaf\"\n");
    EXPECT_EQ(Compile("node_name_map_name own\n", {"--strict"}).error, "");
    EXPECT_EQ(Names(), "# node_name_map_name: 2 names");
    std::filesystem::remove(path);
    EXPECT_EQ(Compile("lmc 1\n", {"--strict"}).error, "") << "it may be missing";
    EXPECT_EQ(Names(), "");
}

}  // namespace
}  // namespace ember::test
