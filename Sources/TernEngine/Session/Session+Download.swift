// SPDX-License-Identifier: Apache-2.0
public import FoundationEssentials

extension Session {
    /// Creates a task whose response becomes a temporary file, whatever its status, and which calls `delegate`. Call
    /// `resume()` to start it.
    ///
    /// If it is interrupted and can be resumed, the error has ``SessionError/resumeData``, and the partial file stays.
    ///
    /// - Parameters:
    ///   - request: its content is sent as well, if it has any.
    ///   - folder: the folder of the file; nil for the system's temporary folder. Moving the file is one step, and free
    ///     of cost, only within one file system.
    ///   - delegate: receives the events.
    public func downloadTask(
        with request: URLRequest, in folder: URL? = nil, delegate: any SessionDownloadDelegate
    ) -> SessionDownloadTask {
        downloadTask(DownloadDestination(temporaryIn: folder), nil, request, delegate)
    }

    /// The same with the session's delegate, if it is one for downloads; without one no delegate is called, and the
    /// file is deleted.
    public func downloadTask(with request: URLRequest, in folder: URL? = nil) -> SessionDownloadTask {
        announced { delegate in
            let listener = delegate as? any SessionDownloadDelegate
            return downloadTask(with: request, in: folder, delegate: listener ?? NoOpTaskDelegate.shared)
        }
    }

    /// Creates a task whose response becomes the file at `target`, which `didFinishDownloadingTo` receives. Call
    /// `resume()` to start it.
    public func downloadTask(
        with request: URLRequest, to target: URL, settings: DownloadSettings = DownloadSettings(),
        delegate: any SessionDownloadDelegate
    ) -> SessionDownloadTask {
        let place = DownloadDestination(target, settings)
        let continues = settings.isResumable && !settings.startsOver
        let partialFile = continues ? PartialFile(besideTarget: target, for: request) : nil
        return downloadTask(place, partialFile, request, delegate)
    }

    /// Creates a task whose response becomes the file that `target` returns, for example in a folder of yours with
    /// ``HTTPURLResponse/suggestedFilename``. The closure is called once, on the reactor's thread, with the response
    /// that brings the file.
    public func downloadTask(
        with request: URLRequest, settings: DownloadSettings = DownloadSettings(),
        delegate: any SessionDownloadDelegate, to target: @escaping @Sendable (HTTPURLResponse) -> URL
    ) -> SessionDownloadTask {
        downloadTask(DownloadDestination.chosen(target, settings), nil, request, delegate)
    }

    /// Creates a task that resumes an interrupted download. If the resource has changed meanwhile it starts again.
    ///
    /// - Parameters:
    ///   - resumeData: from ``SessionError/resumeData`` or `cancel(byProducingResumeData:)`. Can be used once.
    ///   - request: the request to send instead of the original one; nil for that. Credentials are never stored, so
    ///     required ones must be given again.
    ///   - delegate: receives the events.
    public func downloadTask(
        withResumeData resumeData: Data, request: URLRequest? = nil, delegate: any SessionDownloadDelegate
    ) throws(ResumeDataError) -> SessionDownloadTask {
        let partialFile = try PartialFile(ResumeData(resumeData))
        let folder = partialFile.data.partialFile.deletingLastPathComponent()
        return downloadTask(
            DownloadDestination(temporaryIn: folder), partialFile, request ?? partialFile.data.request, delegate)
    }

    /// The same for a caller that cannot be told of resume data that is unusable: the task fails for that reason.
    package func downloadTask(
        continuing resumeData: Data, delegate: any SessionDownloadDelegate
    ) -> SessionDownloadTask {
        do throws(ResumeDataError) {
            return try downloadTask(withResumeData: resumeData, delegate: delegate)
        } catch {
            var request = URLRequest(url: URL(filePath: "/"))
            request.url = nil
            return made(
                SessionDownloadTask(
                    DownloadDriver(DownloadDestination(temporaryIn: nil), nil, delegate), request,
                    defaults: TaskDefaults(failing: taskDefaults, with: .download(.resumeData(error))), at: nil))
        }
    }

    private func downloadTask(
        _ place: DownloadDestination, _ partialFile: PartialFile?, _ request: URLRequest,
        _ delegate: any SessionDownloadDelegate
    ) -> SessionDownloadTask {
        made(
            SessionDownloadTask(
                DownloadDriver(place, partialFile, delegate), request, defaults: taskDefaults,
                at: taskPlace(for: request)))
    }

    /// Sends `request` and writes the body to a temporary file, which the caller must remove. A response with any
    /// status code is a success.
    ///
    /// `delegate` is as for `data(for:delegate:)`, and told of the progress, too, if it is one for downloads.
    @_disfavoredOverload
    public func download(
        for request: URLRequest, delegate: (any SessionTaskDelegate)? = nil
    ) async throws(SessionError) -> (URL, HTTPURLResponse) {
        try await download(beside: delegate) { downloadTask(with: request, delegate: $0) }
    }

    private func download(
        beside delegate: (any SessionTaskDelegate)?, _ make: (any SessionDownloadDelegate) -> SessionDownloadTask
    ) async throws(SessionError) -> (URL, HTTPURLResponse) {
        let waiter = DownloadWaiter()
        let task = reading(waiter, beside: delegate) { make($0 as? any SessionDownloadDelegate ?? waiter) }
        return try await waiter.outcome(of: task).get()
    }

    /// Sends `request` and writes the body to the file at `target`, which it becomes in one step when it is complete.
    /// After any error an existing file is unchanged. A response that is not a success (2xx) is an error.
    public func download(
        for request: URLRequest, to target: URL, settings: DownloadSettings = DownloadSettings(),
        delegate: (any SessionTaskDelegate)? = nil
    ) async throws(SessionError) -> (URL, HTTPURLResponse) {
        try await download(beside: delegate) {
            downloadTask(with: request, to: target, settings: settings, delegate: $0)
        }
    }

    /// The same, and calls `progress` on the reactor's thread whenever bytes were sent or written.
    public func download(
        for request: URLRequest, to target: URL, settings: DownloadSettings = DownloadSettings(),
        delegate: (any SessionTaskDelegate)? = nil, progress: @escaping @Sendable (TransferProgress) -> Void
    ) async throws(SessionError) -> (URL, HTTPURLResponse) {
        try await download(beside: delegate) {
            downloadTask(
                with: request, to: target, settings: settings, delegate: ProgressReporter(before: $0, progress))
        }
    }

    /// Resumes an interrupted download, and writes the whole to `target`.
    public func download(
        resumingWith resumeData: Data, request: URLRequest? = nil, to target: URL,
        settings: DownloadSettings = DownloadSettings(), delegate: (any SessionTaskDelegate)? = nil
    ) async throws(SessionError) -> (URL, HTTPURLResponse) {
        let partialFile: PartialFile
        do throws(ResumeDataError) {
            partialFile = try PartialFile(ResumeData(resumeData))
        } catch {
            throw SessionError(.download(.resumeData(error)), phase: .request)
        }
        return try await download(beside: delegate) {
            downloadTask(DownloadDestination(target, settings), partialFile, request ?? partialFile.data.request, $0)
        }
    }
}
