// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import TernEngine

/// A serializer with a closure.
public struct DataResponseSerializer<Value>: DataResponseSerializerProtocol {
    private let closure: @Sendable (URLRequest?, HTTPURLResponse?, Data?, (any Error)?) -> Result<Value, any Error>

    /// The closure.
    public var serializeResponse: (URLRequest?, HTTPURLResponse?, Data?, (any Error)?) -> Result<Value, any Error> {
        closure
    }

    /// A serializer that calls the closure.
    @preconcurrency public init(
        serializeResponse:
            @escaping @Sendable (URLRequest?, HTTPURLResponse?, Data?, (any Error)?) -> Result<Value, any Error>
    ) {
        closure = serializeResponse
    }
}
