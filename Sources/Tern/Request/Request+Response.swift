// SPDX-License-Identifier: Apache-2.0
public import Foundation

extension DataRequest {
    /// Calls the handler once, with the response without serialization, on `queue` or else on the manager's callback
    /// queue.
    @preconcurrency @discardableResult
    public func response(
        queue: DispatchQueue? = nil, completionHandler: @escaping @Sendable (DefaultDataResponse) -> Void
    ) -> Self {
        delegate.handle { Request.pass(DefaultDataResponse($0), to: completionHandler, on: queue) }
        return self
    }

    /// Calls the handler once, with the result of the serializer, on `queue` or else on the manager's callback queue.
    /// Serializes on the latter.
    @preconcurrency @discardableResult
    public func response<Serializer: DataResponseSerializerProtocol>(
        queue: DispatchQueue? = nil, responseSerializer: Serializer,
        completionHandler: @escaping @Sendable (DataResponse<Serializer.SerializedObject>) -> Void
    ) -> Self {
        delegate.handle { Request.pass(DataResponse($0, responseSerializer), to: completionHandler, on: queue) }
        return self
    }

    /// Calls the handler with the body; see ``dataResponseSerializer()``.
    @preconcurrency @discardableResult
    public func responseData(
        queue: DispatchQueue? = nil, completionHandler: @escaping @Sendable (DataResponse<Data>) -> Void
    ) -> Self {
        response(queue: queue, responseSerializer: Self.dataResponseSerializer(), completionHandler: completionHandler)
    }

    /// Calls the handler with the body as text; see ``stringResponseSerializer(encoding:)``.
    @preconcurrency @discardableResult
    public func responseString(
        queue: DispatchQueue? = nil, encoding: String.Encoding? = nil,
        completionHandler: @escaping @Sendable (DataResponse<String>) -> Void
    ) -> Self {
        response(
            queue: queue, responseSerializer: Self.stringResponseSerializer(encoding: encoding),
            completionHandler: completionHandler)
    }

    /// Calls the handler with the body's JSON; see ``jsonResponseSerializer(options:)``.
    @preconcurrency @discardableResult
    public func responseJSON(
        queue: DispatchQueue? = nil, options: JSONSerialization.ReadingOptions = .allowFragments,
        completionHandler: @escaping @Sendable (DataResponse<Any>) -> Void
    ) -> Self {
        response(
            queue: queue, responseSerializer: Self.jsonResponseSerializer(options: options),
            completionHandler: completionHandler)
    }

    /// Calls the handler with the decoded body.
    @preconcurrency @discardableResult
    public func responseDecodable<Value: Decodable & SendableMetatype>(
        of type: Value.Type = Value.self, queue: DispatchQueue? = nil, decoder: JSONDecoder = JSONDecoder(),
        completionHandler: @escaping @Sendable (DataResponse<Value>) -> Void
    ) -> Self {
        response(
            queue: queue, responseSerializer: Self.decodableResponseSerializer(of: type, decoder: decoder),
            completionHandler: completionHandler)
    }
}

extension DataRequest {
    /// Calls the handler with the body as a property list; see ``propertyListResponseSerializer(options:)``.
    @preconcurrency @discardableResult
    public func responsePropertyList(
        queue: DispatchQueue? = nil, options: PropertyListSerialization.ReadOptions = [],
        completionHandler: @escaping @Sendable (DataResponse<Any>) -> Void
    ) -> Self {
        response(
            queue: queue, responseSerializer: Self.propertyListResponseSerializer(options: options),
            completionHandler: completionHandler)
    }
}

extension DownloadRequest {
    /// Calls the handler once, with the download without serialization, on `queue` or else on the manager's callback
    /// queue.
    @preconcurrency @discardableResult
    public func response(
        queue: DispatchQueue? = nil, completionHandler: @escaping @Sendable (DefaultDownloadResponse) -> Void
    ) -> Self {
        delegate.handle { Request.pass(DefaultDownloadResponse($0), to: completionHandler, on: queue) }
        return self
    }

    /// Calls the handler once, with the result of the serializer, on `queue` or else on the manager's callback queue.
    /// Serializes on the latter.
    @preconcurrency @discardableResult
    public func response<Serializer: DownloadResponseSerializerProtocol>(
        queue: DispatchQueue? = nil, responseSerializer: Serializer,
        completionHandler: @escaping @Sendable (DownloadResponse<Serializer.SerializedObject>) -> Void
    ) -> Self {
        delegate.handle { Request.pass(DownloadResponse($0, responseSerializer), to: completionHandler, on: queue) }
        return self
    }

    /// Calls the handler with the content of the file; see ``dataResponseSerializer()``.
    @preconcurrency @discardableResult
    public func responseData(
        queue: DispatchQueue? = nil, completionHandler: @escaping @Sendable (DownloadResponse<Data>) -> Void
    ) -> Self {
        response(queue: queue, responseSerializer: Self.dataResponseSerializer(), completionHandler: completionHandler)
    }

    /// Calls the handler with the file as text; see ``stringResponseSerializer(encoding:)``.
    @preconcurrency @discardableResult
    public func responseString(
        queue: DispatchQueue? = nil, encoding: String.Encoding? = nil,
        completionHandler: @escaping @Sendable (DownloadResponse<String>) -> Void
    ) -> Self {
        response(
            queue: queue, responseSerializer: Self.stringResponseSerializer(encoding: encoding),
            completionHandler: completionHandler)
    }

    /// Calls the handler with the file's JSON; see ``jsonResponseSerializer(options:)``.
    @preconcurrency @discardableResult
    public func responseJSON(
        queue: DispatchQueue? = nil, options: JSONSerialization.ReadingOptions = .allowFragments,
        completionHandler: @escaping @Sendable (DownloadResponse<Any>) -> Void
    ) -> Self {
        response(
            queue: queue, responseSerializer: Self.jsonResponseSerializer(options: options),
            completionHandler: completionHandler)
    }

    /// Calls the handler with the file as a property list; see ``propertyListResponseSerializer(options:)``.
    @preconcurrency @discardableResult
    public func responsePropertyList(
        queue: DispatchQueue? = nil, options: PropertyListSerialization.ReadOptions = [],
        completionHandler: @escaping @Sendable (DownloadResponse<Any>) -> Void
    ) -> Self {
        response(
            queue: queue, responseSerializer: Self.propertyListResponseSerializer(options: options),
            completionHandler: completionHandler)
    }

    /// Calls the handler with the decoded file.
    @preconcurrency @discardableResult
    public func responseDecodable<Value: Decodable & SendableMetatype>(
        of type: Value.Type = Value.self, queue: DispatchQueue? = nil, decoder: JSONDecoder = JSONDecoder(),
        completionHandler: @escaping @Sendable (DownloadResponse<Value>) -> Void
    ) -> Self {
        response(
            queue: queue, responseSerializer: Self.decodableResponseSerializer(of: type, decoder: decoder),
            completionHandler: completionHandler)
    }
}

extension Request {
    /// Calls the handler, on `queue` or else here.
    @inline(__always)
    fileprivate static func pass<Response>(
        _ response: Response, to handler: @escaping @Sendable (Response) -> Void, on queue: DispatchQueue?
    ) {
        guard let queue else { return handler(response) }
        // Created here and used only there: the value need not be Sendable, as JSON's is not.
        nonisolated(unsafe) let handedOver = response
        queue.async { unsafe handler(handedOver) }
    }
}
