// SPDX-License-Identifier: Apache-2.0
// EmberSM: text out of files, made fit for a terminal.
#pragma once

#include <string>

namespace ember::net {

/// Names come out of files that anybody may have written: none of them steers a terminal. Control
/// characters, those of one octet and those of two in UTF-8, become question marks, an octet each,
/// so that columns stay where they are. Tabs and ends of lines stay, and so do all other octets.
inline void Tame(std::string& text) {
    bool is_lead = false;  // Of U+0080..U+00BF.
    for (char& character : text) {
        const auto octet = static_cast<unsigned char>(character);
        const bool is_white = character == '\n' || character == '\t';
        const bool is_control = (octet < 0x20 && !is_white) || octet == 0x7F;
        if (is_control || (is_lead && octet >= 0x80 && octet < 0xA0)) character = '?';
        is_lead = octet == 0xC2;
    }
}

}  // namespace ember::net
