// SPDX-License-Identifier: Apache-2.0
// EmberSM: a machine without InfiniBand, and a preload without its simulator. What a port that is
// there does is tested over ibsim, in tests/interop.

#include "platform/umad/umad_port.h"

#include <cstdlib>
#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "platform/umad/simulator.h"

namespace ember {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(UmadPort, RefusesTheDeviceThatTheLibraryMakesUp) {
    if (std::filesystem::exists("/sys/class/infiniband")) GTEST_SKIP() << "there is a real one";
    UmadPort port;
    const UmadOpening opening = port.Open({});
    EXPECT_EQ(opening.fault, UmadFault::kNoDevice);
    EXPECT_THAT(opening.sentence, HasSubstr("no InfiniBand port"));
    EXPECT_EQ(port.descriptor(), -1);
}

TEST(UmadPort, MayBeClosedWithoutHavingBeenOpened) {
    UmadPort port;
    port.Close();
    port.Close();
    EXPECT_EQ(port.descriptor(), -1);
}

class Environment {
public:
    Environment(const char* name, const char* value) : name_(name) { setenv(name, value, 1); }
    Environment(const Environment&) = delete;
    Environment& operator=(const Environment&) = delete;
    ~Environment() { unsetenv(name_); }

private:
    const char* name_;
};

TEST(Simulator, IsMissedOnlyWhenAPreloadStandsForIt) {
    EXPECT_THAT(ExplainAbsentSimulator(), IsEmpty());
    const Environment preload("LD_PRELOAD", "/usr/lib/libumad2sim.so");
    const Environment name("IBSIM_SOCKNAME", "nobody-listens-here");
    EXPECT_THAT(ExplainAbsentSimulator(), HasSubstr("nobody-listens-here"));
}

TEST(Simulator, IsNotMissedWhenItIsOnAnotherMachine) {
    const Environment preload("LD_PRELOAD", "/usr/lib/libumad2sim.so");
    const Environment server("IBSIM_SERVER_NAME", "elsewhere");
    EXPECT_THAT(ExplainAbsentSimulator(), IsEmpty());
}

}  // namespace
}  // namespace ember
