// SPDX-License-Identifier: Apache-2.0
public import Foundation
import TernEngine
import TernLock

/// A request whose response becomes a temporary file, which is moved to its destination when it is complete.
///
/// Handlers run when the file is where it is to be, and the response validated, on the manager's callback queue. A file
/// that cannot be moved, a request that could not be built, a failed validation and a lost connection all arrive there
/// as the error of the response. A file without a destination is the user's to remove.
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

    /// Asks for it.
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

    /// Sees to a download that is there already.
    convenience init(adopting task: SessionDownloadTask, context: RequestContext) {
        let urlRequest = task.originalRequest
        let delegate = DownloadTaskReceiver(request: urlRequest, context: context, destination: nil)
        let original = AdoptedTask(task, again: Downloadable(urlRequest: urlRequest, delegate: delegate))
        self.init(original, downloadDelegate: delegate)
    }

    /// Fails with `error`, having got no further than `request`.
    convenience init(downloading request: URLRequest?, failedWith error: any Error, context: RequestContext) {
        let delegate = DownloadTaskReceiver(request: request, error: error, context: context, destination: nil)
        self.init(nil, downloadDelegate: delegate)
    }

    /// The delegate of the request's task.
    open override var delegate: DownloadTaskDelegate { downloadDelegate }

    /// The data that resumes the download later, once this one has failed or been cancelled, if it can be resumed.
    open var resumeData: Data? { downloadDelegate.resumeData }

    /// How much of the file has been written, in bytes; the total is -1 if it is not known. The holder may cancel,
    /// suspend and resume the request by it.
    open var progress: Progress { downloadDelegate.progress }

    /// Ends the request with ``TernEngine/SessionError/Reason/cancelled``, unless it has ended, and keeps the partial
    /// file: ``resumeData`` is there when the handlers run, if the server lets downloads be resumed.
    open override func cancel() { cancel(createResumeData: true) }

    /// Ends the request with ``TernEngine/SessionError/Reason/cancelled``, unless it has ended.
    ///
    /// - Parameter createResumeData: whether to keep the partial file.
    open func cancel(createResumeData: Bool) {
        downloadDelegate.arrival.withLock { $0.createsResumeData = createResumeData }
        super.cancel()
    }

    /// Tells the closure how much of the file has been written, on `queue` or else on the manager's callback queue. A
    /// closure that is busy receives one report for all changes meanwhile. A resumed download begins at its offset.
    @preconcurrency @discardableResult
    open func downloadProgress(queue: DispatchQueue? = nil, closure: @escaping ProgressHandler) -> Self {
        downloadDelegate.tell(downloadDelegate.receivedReport, on: queue, closure)
        return self
    }

    /// How much of the file has been written, as it changes. Begins with what there is already, and ends with the
    /// request. Each element is a `Progress` of its own, which does not change any more.
    ///
    /// - Parameter bufferingPolicy: what to keep for a busy reader; by default the latest.
    open func downloadProgress(
        bufferingPolicy: AsyncStream<Progress>.Continuation.BufferingPolicy = .bufferingNewest(1)
    ) -> AsyncStream<Progress> {
        downloadDelegate.updates(of: downloadDelegate.receivedReport, bufferingPolicy)
    }

    /// A destination in one of the user's folders, under the name that the response suggests. A file that is there
    /// already is not replaced.
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
