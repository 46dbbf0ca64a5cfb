// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import TernEngine

/// A serializer of downloads made of a closure.
public struct DownloadResponseSerializer<Value>: DownloadResponseSerializerProtocol {
    /// The closure.
    @preconcurrency public let serializeResponse:
        @Sendable (URLRequest?, HTTPURLResponse?, URL?, (any Error)?) -> Result<Value, any Error>

    /// A serializer that calls the closure.
    @preconcurrency public init(
        serializeResponse:
            @escaping @Sendable (URLRequest?, HTTPURLResponse?, URL?, (any Error)?) -> Result<Value, any Error>
    ) {
        self.serializeResponse = serializeResponse
    }
}
