// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import TernEngine

/// Makes something of a download. Called once for every handler that uses it, off the reactor.
@preconcurrency public protocol DownloadResponseSerializerProtocol: Sendable {
    /// What a download is made into.
    associatedtype SerializedObject

    /// Takes the request, the head of the response, where the file is, and the error of transport, moving or
    /// validation, which is the result unless the serializer returns another.
    var serializeResponse: (URLRequest?, HTTPURLResponse?, URL?, (any Error)?) -> Result<SerializedObject, any Error> {
        get
    }
}
