// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import TernEngine

/// Serializes a response. Called once for every handler that uses it, off the reactor.
@preconcurrency public protocol DataResponseSerializerProtocol: Sendable {
    /// The type of the result.
    associatedtype SerializedObject

    /// Receives the request, the head of the response, the body, and the error of transport or validation, which is the
    /// result unless the serializer returns another.
    var serializeResponse: (URLRequest?, HTTPURLResponse?, Data?, (any Error)?) -> Result<SerializedObject, any Error> {
        get
    }
}
