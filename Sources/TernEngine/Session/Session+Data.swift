// SPDX-License-Identifier: Apache-2.0
public import FoundationEssentials

// Disfavored: where URLSession's names are imported, its calls of these names are meant, which throw any error.
extension Session {
    /// Sends `request` and collects the body, at most `maximumCollectedBodySize` bytes of it.
    ///
    /// A response with any status code is a success. Cancelling the Swift task closes the connection and throws
    /// `.cancelled`.
    ///
    /// `delegate` is told and asked all but what concerns the content, and retained until the end; nil stands for the
    /// session's delegate, if it has one.
    @_disfavoredOverload
    public func data(
        for request: URLRequest, delegate: (any SessionTaskDelegate)? = nil
    ) async throws(SessionError) -> (Data, HTTPURLResponse) {
        let collector = DataCollector(taskDefaults.bodyLimits)
        let task = reading(collector, beside: delegate) { dataTask(with: request, delegate: $0) }
        await withTaskCancellationHandler {
            // The task guarantees one completion; a checked continuation would check it twice.
            await unsafe withUnsafeContinuation { continuation in
                unsafe collector.start(task, continuation)
            }
        } onCancel: {
            task.cancelOnceStarted()
        }
        return try collector.takeOutcome(of: task)
    }

    /// The same, and calls `progress` on the reactor's thread whenever bytes were sent or received.
    public func data(
        for request: URLRequest, delegate: (any SessionTaskDelegate)? = nil,
        progress: @escaping @Sendable (TransferProgress) -> Void
    ) async throws(SessionError) -> (Data, HTTPURLResponse) {
        let collector = DataCollector(taskDefaults.bodyLimits)
        // As above: an async function for both would cost each request hundreds of instructions.
        let task = reading(collector, beside: delegate) {
            dataTask(with: request, delegate: ProgressReporter(before: $0, progress))
        }
        await withTaskCancellationHandler {
            await unsafe withUnsafeContinuation { continuation in
                unsafe collector.start(task, continuation)
            }
        } onCancel: {
            task.cancelOnceStarted()
        }
        return try collector.takeOutcome(of: task)
    }

    /// Sends a GET request for `url` and collects the body. A URL that the session has just been given is not parsed
    /// again.
    @_disfavoredOverload
    public func data(
        from url: URL, delegate: (any SessionTaskDelegate)? = nil
    ) async throws(SessionError) -> (Data, HTTPURLResponse) {
        try await data(for: getRequest(for: url), delegate: delegate)
    }

    /// Sends `request` and returns its body as it arrives. Reading slowly slows the server down: at most about 512 KB
    /// wait in memory. Ending the iteration early, or releasing the sequence, ends the response; see ``BodyBytes``.
    ///
    /// `delegate` is as for `data(for:delegate:)`.
    @_disfavoredOverload
    public func bytes(
        for request: URLRequest, delegate: (any SessionTaskDelegate)? = nil
    ) async throws(SessionError) -> (BodyBytes, HTTPURLResponse) {
        try await bytes(for: request, beside: delegate) { _ in }
    }

    /// - Parameter prepare: called with the task before it starts.
    package func bytes(
        for request: URLRequest, beside delegate: (any SessionTaskDelegate)?, _ prepare: (SessionTask) -> Void
    ) async throws(SessionError) -> (BodyBytes, HTTPURLResponse) {
        let stream = BodyStream()
        let task = reading(stream, beside: delegate) { dataTask(with: request, delegate: $0) }
        prepare(task)
        let result = await withTaskCancellationHandler {
            await stream.response(of: task)
        } onCancel: {
            task.cancelOnceStarted()
        }
        return (BodyBytes(stream: stream, task: task, keptAlive: self), try result.get())
    }
}

extension Session {
    /// Makes a task whose content `reader` reads. Its delegate is told and asked everything else: this one, or else that of
    /// the session, which is told of the task.
    @inline(__always)
    func reading<Reader: SessionTaskDelegate, Kind: SessionTask>(
        _ reader: Reader, beside own: (any SessionTaskDelegate)?, _ make: (any SessionTaskDelegate) -> Kind
    ) -> Kind {
        own == nil && !hasDelegate ? make(reader) : makeTask(reader, own, make)
    }

    private func makeTask<Reader: SessionTaskDelegate, Kind: SessionTask>(
        _ reader: Reader, _ own: (any SessionTaskDelegate)?, _ make: (any SessionTaskDelegate) -> Kind
    ) -> Kind {
        announced { delegate in
            (own ?? delegate).map { make(ReaderBesideDelegate(reader, $0)) } ?? make(reader)
        }
    }

    /// The result for a completion handler: body and head, or an error.
    public typealias Completion = @Sendable (Result<(Data, HTTPURLResponse), SessionError>) -> Void

    /// Creates a task that collects the body, at most `maximumCollectedBodySize` bytes of it, and calls
    /// `completionHandler` once, on a reactor's thread. Call `resume()` to start it; keep the session until it has
    /// ended.
    public func dataTask(
        with request: URLRequest, completionHandler: @escaping Completion
    ) -> SessionDataTask {
        dataTask(with: request, delegate: DataCollector(taskDefaults.bodyLimits, completionHandler))
    }

    /// The same with `content` as the request body. The method defaults to POST.
    public func uploadTask(
        with request: URLRequest, from content: RequestBody, completionHandler: @escaping Completion
    ) -> SessionUploadTask {
        uploadTask(
            with: request, from: content, delegate: DataCollector(taskDefaults.bodyLimits, completionHandler))
    }
}
