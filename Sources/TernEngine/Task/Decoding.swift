// SPDX-License-Identifier: Apache-2.0

/// Whether a task's bodies are decoded, and what that may cost.
struct Decoding: Sendable {
    let isOn: Bool
    let limits: ContentDecodingLimits
}
