// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernURLSession

// Every member, with the type that FoundationNetworking declares: compiled, not run.

func membersOfURLSessionDelegate(_ x: any URLSessionDelegate) {
    _ = x.urlSession(_:didBecomeInvalidWithError:) as (URLSession, (any Error)?) -> Void
    _ =
        x.urlSession(_:didReceive:completionHandler:)
        as (
            URLSession, URLAuthenticationChallenge,
            @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
        ) -> Void
}

func membersOfURLSessionTaskDelegate(_ x: any URLSessionTaskDelegate) {
    _ = x.urlSession(_:task:didCompleteWithError:) as (URLSession, URLSessionTask, (any Error)?) -> Void
    _ = x.urlSession(_:task:didFinishCollecting:) as (URLSession, URLSessionTask, URLSessionTaskMetrics) -> Void
    _ =
        x.urlSession(_:task:didReceive:completionHandler:)
        as (
            URLSession, URLSessionTask, URLAuthenticationChallenge,
            @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
        ) -> Void
    _ =
        x.urlSession(_:task:didSendBodyData:totalBytesSent:totalBytesExpectedToSend:)
        as (URLSession, URLSessionTask, Int64, Int64, Int64) -> Void
    _ =
        x.urlSession(_:task:needNewBodyStream:)
        as (URLSession, URLSessionTask, @escaping @Sendable (InputStream?) -> Void) -> Void
    _ =
        x.urlSession(_:task:willBeginDelayedRequest:completionHandler:)
        as (
            URLSession, URLSessionTask, URLRequest,
            @escaping @Sendable (URLSession.DelayedRequestDisposition, URLRequest?) -> Void
        ) -> Void
    _ =
        x.urlSession(_:task:willPerformHTTPRedirection:newRequest:completionHandler:)
        as (URLSession, URLSessionTask, HTTPURLResponse, URLRequest, @escaping @Sendable (URLRequest?) -> Void) -> Void
}

func membersOfURLSessionDataDelegate(_ x: any URLSessionDataDelegate) {
    _ = x.urlSession(_:dataTask:didBecome:) as (URLSession, URLSessionDataTask, URLSessionDownloadTask) -> Void
    _ = x.urlSession(_:dataTask:didBecome:) as (URLSession, URLSessionDataTask, URLSessionStreamTask) -> Void
    _ = x.urlSession(_:dataTask:didReceive:) as (URLSession, URLSessionDataTask, Data) -> Void
    _ =
        x.urlSession(_:dataTask:didReceive:completionHandler:)
        as (
            URLSession, URLSessionDataTask, any URLResponse,
            @escaping @Sendable (URLSession.ResponseDisposition) -> Void
        )
        -> Void
    _ =
        x.urlSession(_:dataTask:willCacheResponse:completionHandler:)
        as (URLSession, URLSessionDataTask, CachedURLResponse, @escaping @Sendable (CachedURLResponse?) -> Void) -> Void
}

func membersOfURLSessionDownloadDelegate(_ x: any URLSessionDownloadDelegate) {
    _ = x.urlSession(_:downloadTask:didFinishDownloadingTo:) as (URLSession, URLSessionDownloadTask, URL) -> Void
    _ =
        x.urlSession(_:downloadTask:didResumeAtOffset:expectedTotalBytes:)
        as (URLSession, URLSessionDownloadTask, Int64, Int64) -> Void
    _ =
        x.urlSession(_:downloadTask:didWriteData:totalBytesWritten:totalBytesExpectedToWrite:)
        as (URLSession, URLSessionDownloadTask, Int64, Int64, Int64) -> Void
}

func membersOfURLSessionStreamDelegate(_ x: any URLSessionStreamDelegate) {
    _ = x.urlSession(_:betterRouteDiscoveredFor:) as (URLSession, URLSessionStreamTask) -> Void
    _ = x.urlSession(_:readClosedFor:) as (URLSession, URLSessionStreamTask) -> Void
    _ =
        x.urlSession(_:streamTask:didBecome:outputStream:)
        as (URLSession, URLSessionStreamTask, InputStream, OutputStream) -> Void
    _ = x.urlSession(_:writeClosedFor:) as (URLSession, URLSessionStreamTask) -> Void
}

func membersOfURLSessionWebSocketDelegate(_ x: any URLSessionWebSocketDelegate) {
    _ =
        x.urlSession(_:webSocketTask:didCloseWith:reason:)
        as (URLSession, URLSessionWebSocketTask, URLSessionWebSocketTask.CloseCode, Data?) -> Void
    _ = x.urlSession(_:webSocketTask:didOpenWithProtocol:) as (URLSession, URLSessionWebSocketTask, String?) -> Void
}
