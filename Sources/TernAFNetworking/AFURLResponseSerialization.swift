// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import TernEngine

/// Serializes a response's body for an ``AFURLSessionManager``.
public protocol AFURLResponseSerialization: Sendable {
    /// Returns the serialized body; nil for an empty one.
    ///
    /// - Throws: the error of the task.
    func responseObject(for response: HTTPURLResponse?, data: Data?) throws -> Any?
}
