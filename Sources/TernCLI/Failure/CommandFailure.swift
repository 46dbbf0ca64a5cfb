// SPDX-License-Identifier: Apache-2.0

/// A value of an option or argument cannot be used, for which curl has a code of its own.
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
