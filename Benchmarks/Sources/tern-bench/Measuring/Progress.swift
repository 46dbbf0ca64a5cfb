// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// What goes on, for whoever waits.
enum Progress {
    /// One line on standard error.
    static func note(_ text: String) { FileHandle.standardError.write(Data("\(text)\n".utf8)) }
}
