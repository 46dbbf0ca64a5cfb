// SPDX-License-Identifier: Apache-2.0

/// An event of a stream of bytes.
enum StreamEvent {
    /// No more can be read.
    case readClosed
    /// No more can be written.
    case writeClosed
}
