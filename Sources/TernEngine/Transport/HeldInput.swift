// SPDX-License-Identifier: Apache-2.0

/// Opened bytes that are not processed, because the tick is over or the task is paused. Usually empty; then it owns no
/// memory.
struct HeldInput {
    /// The rest of offered content, which comes first; it may be empty.
    var content: ArraySlice<UInt8>?
    /// The HTTP bytes after it.
    var message: ArraySlice<UInt8> = []

    var isEmpty: Bool { content == nil && message.isEmpty }
}
