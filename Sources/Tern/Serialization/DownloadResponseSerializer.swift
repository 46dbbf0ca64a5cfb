// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import TernEngine

/// A serializer of downloads with a closure.
public struct DownloadResponseSerializer<Value>: DownloadResponseSerializerProtocol {
    private let closure: @Sendable (URLRequest?, HTTPURLResponse?, URL?, (any Error)?) -> Result<Value, any Error>

    /// The closure.
    public var serializeResponse: (URLRequest?, HTTPURLResponse?, URL?, (any Error)?) -> Result<Value, any Error> {
        closure
    }

    /// A serializer that calls the closure.
    @preconcurrency public init(
        serializeResponse:
            @escaping @Sendable (URLRequest?, HTTPURLResponse?, URL?, (any Error)?) -> Result<Value, any Error>
    ) {
        closure = serializeResponse
    }
}
