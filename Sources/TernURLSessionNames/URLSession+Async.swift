// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import TernEngine

// URLSession's async calls. They throw any error, as there, so that a program may catch what it likes; those of
// ``TernEngine/Session`` throw a ``TernEngine/SessionError``.
extension Session {
    /// Sends a request and collects the body. A response with any status code is a success. Canceling the Swift task
    /// cancels the request.
    /// `delegate` is called in place of the session's delegate, also with the body as it arrives. The session's delegate is
    /// called for what `delegate` does not implement. Uploads and downloads do the same.
    public func data(
        for request: URLRequest, delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (Data, any URLResponse) {
        guard let hub, delegate != nil || hub.listener.session != nil else {
            // The type of the delegate makes it that of the engine.
            let (data, response) = try await data(for: request, delegate: (any SessionTaskDelegate)?.none)
            return (data, response.shown)
        }
        return try await outcome(of: delegate) { dataTask(with: request, completionHandler: $0) }
    }

    /// The same for a URL.
    public func data(
        from url: URL, delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (Data, any URLResponse) {
        try await data(for: URLRequest(url: url), delegate: delegate)
    }

    /// Sends a request with data as its body, and collects the body of the response.
    public func upload(
        for request: URLRequest, from bodyData: Data, delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (Data, any URLResponse) {
        try await outcome(of: delegate) { uploadTask(with: request, from: bodyData, completionHandler: $0) }
    }

    /// The same with a file as the body.
    public func upload(
        for request: URLRequest, fromFile fileURL: URL, delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (Data, any URLResponse) {
        try await outcome(of: delegate) { uploadTask(with: request, fromFile: fileURL, completionHandler: $0) }
    }

    /// Sends a request and writes the body to a temporary file, which the caller must remove.
    public func download(
        for request: URLRequest, delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (URL, any URLResponse) {
        try await file(of: delegate) { downloadTask(with: request, completionHandler: $0) }
    }

    /// The same for a URL.
    public func download(
        from url: URL, delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (URL, any URLResponse) {
        try await download(for: URLRequest(url: url), delegate: delegate)
    }

    /// Continues a download.
    public func download(
        resumeFrom resumeData: Data, delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (URL, any URLResponse) {
        try await file(of: delegate) { downloadTask(withResumeData: resumeData, completionHandler: $0) }
    }

    /// Sends a request and returns its body byte by byte, as it arrives. `delegate` is called in place of the session's, but
    /// for the response and its body.
    public func bytes(
        for request: URLRequest, delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (AsyncBytes, any URLResponse) {
        guard let hub, delegate != nil || hub.listener.session != nil else {
            let (bytes, response) = try await bytes(for: request, delegate: (any SessionTaskDelegate)?.none)
            return (AsyncBytes(bytes), response.shown)
        }
        let (bytes, response) = try await bytes(for: request, beside: nil) { task in
            task.delegate = delegate
            task.parts?.takeCompletion()
        }
        return (AsyncBytes(bytes), response.shown)
    }

    /// The same for a URL.
    public func bytes(
        from url: URL, delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (AsyncBytes, any URLResponse) {
        try await bytes(for: URLRequest(url: url), delegate: delegate)
    }

    private func outcome(
        of delegate: (any URLSessionTaskDelegate)?, _ make: (@escaping DataHandler) -> SessionTask
    ) async throws -> (Data, any URLResponse) {
        let (data, response) = try await Outcome.of(delegate, make)
        return (data ?? Data(), response)
    }

    private func file(
        of delegate: (any URLSessionTaskDelegate)?, _ make: (@escaping FileHandler) -> SessionTask
    ) async throws -> (URL, any URLResponse) {
        let (file, response) = try await Outcome.of(delegate, discarding: Outcome.remove) { handler in
            // The handler's file is removed when it returns: the caller gets one of its own.
            make { location, response, error in
                do { handler(try location.map(Outcome.kept), response, error) } catch { handler(nil, nil, error) }
            }
        }
        guard let file else { throw Foundation.URLError(.cannotCreateFile) }
        return (file, response)
    }
}

/// The result of a task with a completion handler.
private enum Outcome {
    /// Makes a task with the handler, starts it, and returns what the handler gets.
    ///
    /// - Parameter discard: is given a value that nobody waits for any more.
    static func of<Value: Sendable>(
        _ delegate: (any URLSessionTaskDelegate)?, discarding discard: @escaping @Sendable (Value) -> Void = { _ in },
        _ make: (@escaping @Sendable (Value?, (any URLResponse)?, (any Error)?) -> Void) -> SessionTask
    ) async throws -> (Value?, any URLResponse) {
        let (results, result) = AsyncThrowingStream<(Value?, any URLResponse), any Error>.makeStream()
        let task = make { value, response, error in
            if let error { return result.finish(throwing: error) }
            if let response, case .terminated = result.yield((value, response)), let value { discard(value) }
            result.finish()
        }
        task.delegate = delegate
        return try await withTaskCancellationHandler {
            task.resume()
            for try await result in results { return result }
            task.cancel()
            throw Foundation.URLError(.cancelled)
        } onCancel: {
            task.cancel()
        }
    }

    static func remove(_ file: URL) { try? FileManager.default.removeItem(at: file) }

    /// The same file under another name.
    static func kept(_ location: URL) throws -> URL {
        let other = location.deletingLastPathComponent().appending(path: "tern-download-\(UUID().uuidString)")
        try FileManager.default.moveItem(at: location, to: other)
        return other
    }
}
