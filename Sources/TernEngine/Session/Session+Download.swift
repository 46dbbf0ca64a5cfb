// SPDX-License-Identifier: Apache-2.0
public import FoundationEssentials

extension Session {
    /// Makes a task whose response becomes a temporary file, whatever its status, and tells `delegate` what happens.
    /// Call `resume()` to start it.
    ///
    /// If it breaks off and can be continued, the error holds ``SessionError/resumeData``, and the partial file stays.
    ///
    /// - Parameters:
    ///   - request: its content is sent along, if it has any.
    ///   - folder: where the file is to be; nil for the system's temporary folder. A file is moved in one step, and at
    ///     no cost, only within one file system.
    ///   - delegate: is told.
    public func downloadTask(
        with request: URLRequest, in folder: URL? = nil, delegate: any SessionDownloadDelegate
    ) -> SessionDownloadTask {
        downloadTask(DownloadPlace(temporaryIn: folder), nil, request, delegate)
    }

    /// The same with the session's delegate, if it is one for downloads; without one no delegate is told, and the file
    /// is deleted.
    public func downloadTask(with request: URLRequest, in folder: URL? = nil) -> SessionDownloadTask {
        announced { delegate in
            let listener = delegate as? any SessionDownloadDelegate
            return downloadTask(with: request, in: folder, delegate: listener ?? NoOpTaskDelegate.shared)
        }
    }

    /// Makes a task whose response becomes the file at `target`, which is what `didFinishDownloadingTo` is told. Call
    /// `resume()` to start it.
    public func downloadTask(
        with request: URLRequest, to target: URL, settings: DownloadSettings = DownloadSettings(),
        delegate: any SessionDownloadDelegate
    ) -> SessionDownloadTask {
        let place = DownloadPlace(target, settings)
        let continues = settings.isResumable && !settings.startsOver
        let firstPart = continues ? FirstPartFile(besideTarget: target, for: request) : nil
        return downloadTask(place, firstPart, request, delegate)
    }

    /// Makes a task whose response becomes the file that `target` names, such as one in a folder of yours with
    /// ``HTTPURLResponse/suggestedFilename``. It is asked once, on the reactor's thread, about the response that brings
    /// the file.
    public func downloadTask(
        with request: URLRequest, settings: DownloadSettings = DownloadSettings(),
        delegate: any SessionDownloadDelegate, to target: @escaping @Sendable (HTTPURLResponse) -> URL
    ) -> SessionDownloadTask {
        downloadTask(DownloadPlace.chosen(target, settings), nil, request, delegate)
    }

    /// Makes a task that goes on where another has broken off. If what is there has changed meanwhile it starts over.
    ///
    /// - Parameters:
    ///   - resumeData: of ``SessionError/resumeData`` or `cancel(byProducingResumeData:)`. Serves once.
    ///   - request: what to ask instead of what was asked then; nil for that. Credentials are never kept, so those that
    ///     were needed are needed again.
    ///   - delegate: is told.
    public func downloadTask(
        withResumeData resumeData: Data, request: URLRequest? = nil, delegate: any SessionDownloadDelegate
    ) throws(ResumeDataError) -> SessionDownloadTask {
        let firstPart = try FirstPartFile(ResumeData(resumeData))
        let folder = firstPart.data.partialFile.deletingLastPathComponent()
        return downloadTask(DownloadPlace(temporaryIn: folder), firstPart, request ?? firstPart.data.request, delegate)
    }

    private func downloadTask(
        _ place: DownloadPlace, _ firstPart: FirstPartFile?, _ request: URLRequest,
        _ delegate: any SessionDownloadDelegate
    ) -> SessionDownloadTask {
        SessionDownloadTask(
            DownloadDriver(place, firstPart, delegate), request, defaults: taskDefaults, at: placeForTask)
    }

    /// Sends `request` and writes the body to a temporary file, which is the caller's to remove. A response with any
    /// status code is a success.
    public func download(for request: URLRequest) async throws(SessionError) -> (URL, HTTPURLResponse) {
        let waiter = DownloadWaiter()
        return try await waiter.outcome(of: downloadTask(with: request, delegate: waiter)).get()
    }

    /// Sends `request` and writes the body to the file at `target`, which it becomes in one step when all of it is
    /// there. Whatever goes wrong, what stood there stays. A response that is no success (2xx) is an error.
    public func download(
        for request: URLRequest, to target: URL, settings: DownloadSettings = DownloadSettings()
    ) async throws(SessionError) -> (URL, HTTPURLResponse) {
        let waiter = DownloadWaiter()
        return try await waiter.outcome(
            of: downloadTask(with: request, to: target, settings: settings, delegate: waiter)
        ).get()
    }

    /// Resumes a download that was interrupted, and writes the whole to `target`.
    public func download(
        resumingWith resumeData: Data, request: URLRequest? = nil, to target: URL,
        settings: DownloadSettings = DownloadSettings()
    ) async throws(SessionError) -> (URL, HTTPURLResponse) {
        let firstPart: FirstPartFile
        do throws(ResumeDataError) {
            firstPart = try FirstPartFile(ResumeData(resumeData))
        } catch {
            throw SessionError(.download(.resumeData(error)), phase: .request)
        }
        let waiter = DownloadWaiter()
        return try await waiter.outcome(
            of: downloadTask(
                DownloadPlace(target, settings), firstPart, request ?? firstPart.data.request, waiter)
        ).get()
    }
}
