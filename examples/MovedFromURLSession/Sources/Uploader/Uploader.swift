public import Foundation
// All that was changed: it was `import FoundationNetworking`.
public import TernURLSession

/// Uploads data with a progress and a name and a password, written for URLSession with its delegates.
public final class Uploader: NSObject, URLSessionTaskDelegate, URLSessionDataDelegate, @unchecked Sendable {
    private let credential: URLCredential
    private let onProgress: @Sendable (Double) -> Void
    private let onEnd: @Sendable (Int?, Data, (any Error)?) -> Void
    private var received = Data()
    private lazy var session = URLSession(configuration: .ephemeral, delegate: self, delegateQueue: OperationQueue())

    /// - Parameter onEnd: receives the status and the body, or the error.
    public init(
        user: String, password: String, onProgress: @escaping @Sendable (Double) -> Void,
        onEnd: @escaping @Sendable (Int?, Data, (any Error)?) -> Void
    ) {
        credential = URLCredential(user: user, password: password, persistence: .forSession)
        (self.onProgress, self.onEnd) = (onProgress, onEnd)
    }

    /// Starts the upload.
    public func upload(_ data: Data, to url: URL) {
        var request = URLRequest(url: url)
        request.httpMethod = "PUT"
        request.setValue("application/octet-stream", forHTTPHeaderField: "Content-Type")
        session.uploadTask(with: request, from: data).resume()
        session.finishTasksAndInvalidate()
    }

    public func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) {
        onProgress(Double(totalBytesSent) / Double(totalBytesExpectedToSend))
    }

    public func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        guard challenge.protectionSpace.authenticationMethod == NSURLAuthenticationMethodHTTPBasic,
            challenge.previousFailureCount == 0
        else { return completionHandler(.performDefaultHandling, nil) }
        completionHandler(.useCredential, credential)
    }

    public func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        received.append(data)
    }

    public func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        onEnd((task.response as? HTTPURLResponse)?.statusCode, received, error)
    }
}
