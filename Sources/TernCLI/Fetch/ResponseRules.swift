// SPDX-License-Identifier: Apache-2.0
import Tern

/// Which responses the command line says not to take.
struct ResponseRules: Sendable {
    var refusesErrors = false
    /// The body of one is written all the same.
    var refusesErrorsWithBody = false
    /// There is an attempt left.
    var refusesTransient = false
    var maximumBodySize: Int?

    /// - Parameter length: of the body, if it is announced.
    func refusal(of status: Int, length: Int?) -> RefusedResponse? {
        if refusesTransient, RetryRule.isTransient(status: status) { return .transient(status: status) }
        if refusesErrors, status >= 400 { return .status(status) }
        return length.flatMap(refusal(ofLength:))
    }

    func refusal(ofLength length: Int) -> RefusedResponse? {
        maximumBodySize.flatMap { length > $0 ? .tooLarge(limit: $0) : nil }
    }

    /// Once all of it has come.
    func refusal(ofWhole status: Int) -> RefusedResponse? {
        refusesErrorsWithBody && status >= 400 ? .status(status) : nil
    }
}
