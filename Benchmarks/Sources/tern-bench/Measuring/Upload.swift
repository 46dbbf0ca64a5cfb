// SPDX-License-Identifier: Apache-2.0

/// What a client is to send.
struct Upload: Codable, Sendable {
    /// In bytes.
    var size: Int
    /// The file that holds as much; nil sends from memory.
    var path: String?
    /// Whether the file is sent as a part of a form.
    var isForm = false
}
