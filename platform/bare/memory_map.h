// SPDX-License-Identifier: Apache-2.0
// EmberSM: which addresses mean something, and what may be done there.
#pragma once

#include <cstdint>

/// Fills in the translation tables and returns their address; called by the start-up code while
/// translation is still off, before any constructor.
///
/// Every address stands for itself. Only so much is mapped that anything else traps: the program
/// (read and executed, never written), RAM around it (read and written, never executed), the UART,
/// of the flash memory what holds the configuration (never written) and what holds the state
/// (written, for commands are writes), and RAM that stands in for a device. None of these is
/// executed. Address 0 and what lies below the stack are not mapped. RAM is normal memory, cached
/// and written back: reads and writes need no alignment, and a loop over a table costs what it
/// should.
extern "C" std::uintptr_t ember_map_memory();
