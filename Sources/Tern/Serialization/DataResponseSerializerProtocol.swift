// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import TernEngine

/// Makes something of a response. Called once for every handler that uses it, off the reactor.
@preconcurrency public protocol DataResponseSerializerProtocol: Sendable {
    /// What a response is made into.
    associatedtype SerializedObject

    /// Takes the request, the head of the response, the body, and the error of transport or validation, which is the
    /// result unless the serializer returns another.
    var serializeResponse: (URLRequest?, HTTPURLResponse?, Data?, (any Error)?) -> Result<SerializedObject, any Error> {
        get
    }
}
