// SPDX-License-Identifier: Apache-2.0
import ArgumentParser

/// A failure of the command itself that knows curl's number for it.
protocol ReportedFailure: Error {
    var exitStatus: ExitStatus { get }

    /// What failed.
    ///
    /// - Parameter url: the URL that was asked last.
    func message(asking url: String?) -> String
}

extension ReportedFailure {
    func message(asking url: String?) -> String { "\(self)" }
}

/// A command that ends with all of ``ExitStatus``, and not only with 0, 1 or 2.
protocol EndsLikeCurl: ParsableCommand {}
