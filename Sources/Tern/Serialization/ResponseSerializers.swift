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
