// SPDX-License-Identifier: Apache-2.0
import ArgumentParser

/// A failure of the command itself that has curl's code.
protocol ReportedFailure: Error {
    var exitStatus: ExitStatus { get }

    /// What failed.
    ///
    /// - Parameter url: the URL that was requested last.
    func message(asking url: String?) -> String
}

extension ReportedFailure {
    func message(asking url: String?) -> String { "\(self)" }
}

/// A command that exits with all codes of ``ExitStatus``, not only with 0, 1 or 2.
protocol EndsLikeCurl: ParsableCommand {}
