// SPDX-License-Identifier: Apache-2.0
// EmberSM: the program emberc, with the boards that it knows.

#include "board/boards.h"
#include "config/emberc/command_line.h"

int main(int argc, char** argv) {
    return ember::emberc::Run(argc, argv, ember::Boards());
}
