// SPDX-License-Identifier: Apache-2.0

/// What an option or argument names cannot be used, for which curl has a number of its own.
struct CommandFailure: ReportedFailure, CustomStringConvertible {
    let status: ExitStatus
    let message: String

    init(_ status: ExitStatus, _ message: String) {
        self.status = status
        self.message = message
    }

    var exitStatus: ExitStatus { status }

    var description: String { message }

    /// The line for standard error.
    var line: String { "tern: (\(status.rawValue)) \(message)" }
}
