// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import TernEngine

/// Makes something of a response's body, for an ``AFURLSessionManager``.
public protocol AFURLResponseSerialization: Sendable {
    /// What stands in the body; nil for nothing.
    ///
    /// - Throws: what is wrong with the response; it becomes the error of the task.
    func responseObject(for response: HTTPURLResponse?, data: Data?) throws -> Any?
}
