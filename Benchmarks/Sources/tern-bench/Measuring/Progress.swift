// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// Shows what is running.
enum Progress {
    /// One line on standard error.
    static func note(_ text: String) { FileHandle.standardError.write(Data("\(text)\n".utf8)) }
}
