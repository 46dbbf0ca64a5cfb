// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import TernEngine

/// Serializes a download. Called once for every handler that uses it, off the reactor.
@preconcurrency public protocol DownloadResponseSerializerProtocol: Sendable {
    /// The type of the result.
    associatedtype SerializedObject

    /// Receives the request, the head of the response, the URL of the file, and the error of transport, moving or
    /// validation, which is the result unless the serializer returns another.
    var serializeResponse: (URLRequest?, HTTPURLResponse?, URL?, (any Error)?) -> Result<SerializedObject, any Error> {
        get
    }
}
