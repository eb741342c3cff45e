// SPDX-License-Identifier: Apache-2.0
// EmberSM: must not compile with EMBER_MISTAKE: a field is given a value of another type.
// Expect: no matching (member )?function

#include "core/base/ids.h"
#include "core/wire/attribute.h"

namespace ember {

struct Example : Attribute<8> {
    static constexpr Field<Lid> kLid{16, 16};
};

#ifdef EMBER_MISTAKE
void Write(Example& example, PortNumber port) {
    example.Set(Example::kLid, port);
}
#else
void Write(Example& example, Lid lid) {
    example.Set(Example::kLid, lid);
}
#endif

}  // namespace ember
