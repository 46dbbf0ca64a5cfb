// SPDX-License-Identifier: Apache-2.0
public import Foundation
import TernEngine
import TernLock

/// A request whose response becomes a temporary file, which is moved to its destination when it is complete.
///
/// Handlers run after the file was moved and the response validated, on the manager's callback queue. A handler
/// receives every failure as the error of the response: a file that cannot be moved, a request that could not be built,
/// a failed validation, a lost connection. The user must remove a file without a destination.
open class DownloadRequest: Request, @unchecked Sendable {
    /// ``Tern/DownloadFileDestination``
    public typealias DownloadFileDestination = Tern.DownloadFileDestination
    /// ``Tern/DownloadOptions``
    public typealias DownloadOptions = Tern.DownloadOptions

    private let downloadDelegate: DownloadTaskDelegate

    private init(_ original: (any TaskSource)?, downloadDelegate: DownloadTaskDelegate) {
        self.downloadDelegate = downloadDelegate
        super.init(original, delegate: downloadDelegate)
    }

    /// Sends a new request.
    convenience init(_ urlRequest: URLRequest, to destination: DownloadFileDestination?, context: RequestContext) {
        let delegate = DownloadTaskReceiver(request: urlRequest, context: context, destination: destination)
        self.init(Downloadable(urlRequest: urlRequest, delegate: delegate), downloadDelegate: delegate)
    }

    /// Resumes another download.
    convenience init(
        resumingWith resumeData: Data, to destination: DownloadFileDestination?, context: RequestContext
    ) {
        let delegate = DownloadTaskReceiver(request: nil, context: context, destination: destination)
        self.init(Resumable(resumeData: resumeData, delegate: delegate), downloadDelegate: delegate)
    }

    /// Uses an existing download.
    convenience init(adopting task: SessionDownloadTask, context: RequestContext) {
        let urlRequest = task.originalRequest
        let delegate = DownloadTaskReceiver(request: urlRequest, context: context, destination: nil)
        let original = AdoptedTask(task, again: Downloadable(urlRequest: urlRequest, delegate: delegate))
        self.init(original, downloadDelegate: delegate)
    }

    /// Fails with `error`, after `request` was built, if it was.
    convenience init(downloading request: URLRequest?, failedWith error: any Error, context: RequestContext) {
        let delegate = DownloadTaskReceiver(request: request, error: error, context: context, destination: nil)
        self.init(nil, downloadDelegate: delegate)
    }

    /// The delegate of the request's task.
    open override var delegate: DownloadTaskDelegate { downloadDelegate }

    /// The data that resumes the download later, once this one has failed or been cancelled, if it can be resumed.
    open var resumeData: Data? { downloadDelegate.resumeData }

    /// How much of the file has been written, in bytes; the total is -1 if it is unknown. The `Progress` can cancel,
    /// suspend and resume the request.
    open var progress: Progress { downloadDelegate.progress }

    /// Ends the request with ``TernEngine/SessionError/Reason/cancelled``, unless it has ended, and keeps the partial
    /// file: ``resumeData`` is set when the handlers run, if the download can be resumed.
    open override func cancel() { cancel(createResumeData: true) }

    /// Ends the request with ``TernEngine/SessionError/Reason/cancelled``, unless it has ended.
    ///
    /// - Parameter createResumeData: whether to keep the partial file.
    open func cancel(createResumeData: Bool) {
        downloadDelegate.cancels(creatingResumeData: createResumeData)
        super.cancel()
    }

    /// Calls the closure with the progress of the file, on `queue` or else on the manager's callback queue. A busy
    /// closure receives one report for all changes meanwhile. A resumed download begins at its offset.
    @preconcurrency @discardableResult
    open func downloadProgress(queue: DispatchQueue? = nil, closure: @escaping ProgressHandler) -> Self {
        downloadDelegate.tell(downloadDelegate.receivedReport, on: queue, closure)
        return self
    }

    /// The progress of the file as a sequence. Begins with the current progress, and ends with the request. Each
    /// element is a `Progress` of its own, which does not change any more.
    ///
    /// - Parameter bufferingPolicy: the elements to keep for a busy reader; by default the latest.
    open func downloadProgress(
        bufferingPolicy: AsyncStream<Progress>.Continuation.BufferingPolicy = .bufferingNewest(1)
    ) -> AsyncStream<Progress> {
        downloadDelegate.updates(of: downloadDelegate.receivedReport, bufferingPolicy)
    }

    /// A destination in one of the user's folders, under the name that the response suggests. An existing file is not
    /// replaced.
    open class func suggestedDownloadDestination(
        for directory: FileManager.SearchPathDirectory = .documentDirectory,
        in domain: FileManager.SearchPathDomainMask = .userDomainMask
    ) -> DownloadFileDestination {
        { temporaryURL, response in
            guard let folder = FileManager.default.urls(for: directory, in: domain).first else {
                return (temporaryURL, [])
            }
            return (folder.appendingPathComponent(response.suggestedFilename ?? "Unknown"), [])
        }
    }
}
