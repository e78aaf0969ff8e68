// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace hayakoe::cli {

/// From here on Ctrl-C (SIGINT) and SIGTERM are only noted, so that the program can stop in an orderly way. A second
/// one ends it at once.
void note_interrupts();

/// The number of the signal that came, 0 if none did.
int interrupted();

}  // namespace hayakoe::cli
