// SPDX-License-Identifier: Apache-2.0

/// What has happened to a stream of bytes.
enum StreamEvent {
    /// Nothing more can be read.
    case readClosed
    /// Nothing more can be written.
    case writeClosed
}
