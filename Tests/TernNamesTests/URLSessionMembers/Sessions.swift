// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernURLSession

// Every member, with the type that FoundationNetworking declares: compiled, not run.

func membersOfURLSession(_ x: URLSession, _ url: URL) {
    _ = URLSession.AuthChallengeDisposition.self
    _ = URLSession.AuthChallengeDisposition.cancelAuthenticationChallenge as URLSession.AuthChallengeDisposition
    _ = URLSession.AuthChallengeDisposition.init(rawValue:) as (Int) -> URLSession.AuthChallengeDisposition?
    _ = URLSession.AuthChallengeDisposition.performDefaultHandling as URLSession.AuthChallengeDisposition
    _ = URLSession.AuthChallengeDisposition.rejectProtectionSpace as URLSession.AuthChallengeDisposition
    _ = URLSession.AuthChallengeDisposition.useCredential as URLSession.AuthChallengeDisposition
    _ = x.configuration as URLSessionConfiguration
    _ = x.data(for:delegate:) as (URLRequest, (any URLSessionTaskDelegate)?) async throws -> (Data, any URLResponse)
    _ = x.data(from:delegate:) as (URL, (any URLSessionTaskDelegate)?) async throws -> (Data, any URLResponse)
    _ = x.dataTask(with:) as (URLRequest) -> URLSessionDataTask
    _ = x.dataTask(with:) as (URL) -> URLSessionDataTask
    _ =
        x.dataTask(with:completionHandler:)
        as (URLRequest, @escaping @Sendable (Data?, (any URLResponse)?, (any Error)?) -> Void) -> URLSessionDataTask
    _ =
        x.dataTask(with:completionHandler:)
        as (URL, @escaping @Sendable (Data?, (any URLResponse)?, (any Error)?) -> Void) -> URLSessionDataTask
    _ = URLSession.DelayedRequestDisposition.self
    _ = URLSession.DelayedRequestDisposition.cancel as URLSession.DelayedRequestDisposition
    _ = URLSession.DelayedRequestDisposition.continueLoading as URLSession.DelayedRequestDisposition
    _ = URLSession.DelayedRequestDisposition.useNewRequest as URLSession.DelayedRequestDisposition
    _ = x.delegate as (any URLSessionDelegate)?
    _ = x.delegateQueue as OperationQueue
    _ = x.download(for:delegate:) as (URLRequest, (any URLSessionTaskDelegate)?) async throws -> (URL, any URLResponse)
    _ = x.download(from:delegate:) as (URL, (any URLSessionTaskDelegate)?) async throws -> (URL, any URLResponse)
    _ = x.downloadTask(with: URLRequest(url: url)) as URLSessionDownloadTask
    _ = x.downloadTask(with: url) as URLSessionDownloadTask
    _ =
        x.downloadTask(with:completionHandler:)
        as (URLRequest, @escaping @Sendable (URL?, (any URLResponse)?, (any Error)?) -> Void) -> URLSessionDownloadTask
    _ =
        x.downloadTask(with:completionHandler:)
        as (URL, @escaping @Sendable (URL?, (any URLResponse)?, (any Error)?) -> Void) -> URLSessionDownloadTask
    _ = x.downloadTask(withResumeData:) as (Data) -> URLSessionDownloadTask
    _ =
        x.downloadTask(withResumeData:completionHandler:)
        as (Data, @escaping @Sendable (URL?, (any URLResponse)?, (any Error)?) -> Void) -> URLSessionDownloadTask
    _ = x.finishTasksAndInvalidate as () -> Void
    _ = x.flush(completionHandler:) as (@escaping @Sendable () -> Void) -> Void
    _ = x.getAllTasks(completionHandler:) as (@escaping @Sendable ([URLSessionTask]) -> Void) -> Void
    _ =
        x.getTasksWithCompletionHandler(_:)
        as (@escaping @Sendable ([URLSessionDataTask], [URLSessionUploadTask], [URLSessionDownloadTask]) -> Void) ->
        Void
    _ = URLSession.init(configuration:) as (URLSessionConfiguration) -> URLSession
    _ =
        URLSession.init(configuration:delegate:delegateQueue:)
        as (URLSessionConfiguration, (any URLSessionDelegate)?, OperationQueue?) -> URLSession
    _ = x.invalidateAndCancel as () -> Void
    _ = x.reset(completionHandler:) as (@escaping @Sendable () -> Void) -> Void
    _ = URLSession.ResponseDisposition.self
    _ = URLSession.ResponseDisposition.allow as URLSession.ResponseDisposition
    _ = URLSession.ResponseDisposition.becomeDownload as URLSession.ResponseDisposition
    _ = URLSession.ResponseDisposition.cancel as URLSession.ResponseDisposition
    _ = URLSession.ResponseDisposition.init(rawValue:) as (Int) -> URLSession.ResponseDisposition?
    change(&x.sessionDescription, as: String?.self)
    _ = URLSession.shared as URLSession
    _ =
        x.upload(for:from:delegate:)
        as (URLRequest, Data, (any URLSessionTaskDelegate)?) async throws -> (Data, any URLResponse)
    _ =
        x.upload(for:fromFile:delegate:)
        as (URLRequest, URL, (any URLSessionTaskDelegate)?) async throws -> (Data, any URLResponse)
    _ = x.uploadTask(with:from:) as (URLRequest, Data) -> URLSessionUploadTask
    _ =
        x.uploadTask(with:from:completionHandler:)
        as (URLRequest, Data?, @escaping @Sendable (Data?, (any URLResponse)?, (any Error)?) -> Void) ->
        URLSessionUploadTask
    _ = x.uploadTask(with:fromFile:) as (URLRequest, URL) -> URLSessionUploadTask
    _ =
        x.uploadTask(with:fromFile:completionHandler:)
        as (URLRequest, URL, @escaping @Sendable (Data?, (any URLResponse)?, (any Error)?) -> Void) ->
        URLSessionUploadTask
    _ = x.uploadTask(withStreamedRequest:) as (URLRequest) -> URLSessionUploadTask
    _ = x.webSocketTask(with: URLRequest(url: url)) as URLSessionWebSocketTask
    _ = x.webSocketTask(with: url) as URLSessionWebSocketTask
    _ = x.webSocketTask(with:protocols:) as (URL, [String]) -> URLSessionWebSocketTask
}

func membersOfURLSessionTask(_ x: URLSessionTask) {
    _ = x.cancel as () -> Void
    _ = x.copy as () -> Any
    _ = x.copy(with:) as (NSZone?) -> Any
    change(&x.countOfBytesClientExpectsToReceive, as: Int64.self)
    change(&x.countOfBytesClientExpectsToSend, as: Int64.self)
    _ = x.countOfBytesExpectedToReceive as Int64
    _ = x.countOfBytesExpectedToSend as Int64
    _ = x.countOfBytesReceived as Int64
    _ = x.countOfBytesSent as Int64
    _ = x.currentRequest as URLRequest?
    _ = URLSessionTask.defaultPriority as Float
    change(&x.delegate, as: (any URLSessionTaskDelegate)?.self)
    change(&x.earliestBeginDate, as: Date?.self)
    _ = x.error as (any Error)?
    _ = URLSessionTask.highPriority as Float
    _ = URLSessionTask() as URLSessionTask
    _ = URLSessionTask.lowPriority as Float
    _ = x.originalRequest as URLRequest?
    change(&x.priority, as: Float.self)
    _ = x.progress as Progress
    _ = x.response as (any URLResponse)?
    _ = x.resume as () -> Void
    _ = x.state as URLSessionTask.State
    _ = URLSessionTask.State.self
    _ = URLSessionTask.State.canceling as URLSessionTask.State
    _ = URLSessionTask.State.completed as URLSessionTask.State
    _ = URLSessionTask.State.init(rawValue:) as (Int) -> URLSessionTask.State?
    _ = URLSessionTask.State.running as URLSessionTask.State
    _ = URLSessionTask.State.suspended as URLSessionTask.State
    _ = x.suspend as () -> Void
    change(&x.taskDescription, as: String?.self)
    _ = x.taskIdentifier as Int
}

func membersOfURLSessionDownloadTask(_ x: URLSessionDownloadTask) {
    _ = x.cancel(byProducingResumeData:) as (@escaping @Sendable (Data?) -> Void) -> Void
}

func membersOfURLSessionConfiguration(_ x: URLSessionConfiguration) {
    change(&x.allowsCellularAccess, as: Bool.self)
    change(&x.connectionProxyDictionary, as: [AnyHashable: Any]?.self)
    _ = x.copy as () -> Any
    _ = x.copy(with:) as (NSZone?) -> Any
    _ = URLSessionConfiguration.default as URLSessionConfiguration
    _ = URLSessionConfiguration.ephemeral as URLSessionConfiguration
    change(&x.httpAdditionalHeaders, as: [AnyHashable: Any]?.self)
    change(&x.httpCookieAcceptPolicy, as: HTTPCookie.AcceptPolicy.self)
    change(&x.httpCookieStorage, as: HTTPCookieStorage?.self)
    change(&x.httpMaximumConnectionsPerHost, as: Int.self)
    change(&x.httpShouldSetCookies, as: Bool.self)
    change(&x.httpShouldUsePipelining, as: Bool.self)
    change(&x.identifier, as: String?.self)
    _ = URLSessionConfiguration() as URLSessionConfiguration
    change(&x.isDiscretionary, as: Bool.self)
    change(&x.networkServiceType, as: URLRequest.NetworkServiceType.self)
    change(&x.protocolClasses, as: [AnyClass]?.self)
    change(&x.requestCachePolicy, as: URLRequest.CachePolicy.self)
    _ = x.sharedContainerIdentifier as String?
    change(&x.shouldUseExtendedBackgroundIdleMode, as: Bool.self)
    change(&x.timeoutIntervalForRequest, as: TimeInterval.self)
    change(&x.timeoutIntervalForResource, as: TimeInterval.self)
    change(&x.urlCache, as: URLCache?.self)
    change(&x.urlCredentialStorage, as: URLCredentialStorage?.self)
}

func membersOfURLSessionTaskMetrics(_ x: URLSessionTaskMetrics) {
    _ = URLSessionTaskMetrics.DomainResolutionProtocol.self
    _ = URLSessionTaskMetrics.DomainResolutionProtocol.https as URLSessionTaskMetrics.DomainResolutionProtocol
    _ =
        URLSessionTaskMetrics.DomainResolutionProtocol.init(rawValue:)
        as (Int) -> URLSessionTaskMetrics.DomainResolutionProtocol?
    _ = URLSessionTaskMetrics.DomainResolutionProtocol.tcp as URLSessionTaskMetrics.DomainResolutionProtocol
    _ = URLSessionTaskMetrics.DomainResolutionProtocol.tls as URLSessionTaskMetrics.DomainResolutionProtocol
    _ = URLSessionTaskMetrics.DomainResolutionProtocol.udp as URLSessionTaskMetrics.DomainResolutionProtocol
    _ = URLSessionTaskMetrics.DomainResolutionProtocol.unknown as URLSessionTaskMetrics.DomainResolutionProtocol
    _ = x.redirectCount as Int
    _ = URLSessionTaskMetrics.ResourceFetchType.self
    _ = URLSessionTaskMetrics.ResourceFetchType.init(rawValue:) as (Int) -> URLSessionTaskMetrics.ResourceFetchType?
    _ = URLSessionTaskMetrics.ResourceFetchType.localCache as URLSessionTaskMetrics.ResourceFetchType
    _ = URLSessionTaskMetrics.ResourceFetchType.networkLoad as URLSessionTaskMetrics.ResourceFetchType
    _ = URLSessionTaskMetrics.ResourceFetchType.serverPush as URLSessionTaskMetrics.ResourceFetchType
    _ = URLSessionTaskMetrics.ResourceFetchType.unknown as URLSessionTaskMetrics.ResourceFetchType
    _ = x.taskInterval as DateInterval
    _ = x.transactionMetrics as [URLSessionTaskTransactionMetrics]
}

func membersOfURLSessionTaskTransactionMetrics(_ x: URLSessionTaskTransactionMetrics) {
    _ = x.connectEndDate as Date?
    _ = x.connectStartDate as Date?
    _ = x.domainLookupEndDate as Date?
    _ = x.domainLookupStartDate as Date?
    _ = x.domainResolutionProtocol as URLSessionTaskMetrics.DomainResolutionProtocol
    _ = x.fetchStartDate as Date?
    _ = x.isCellular as Bool
    _ = x.isConstrained as Bool
    _ = x.isExpensive as Bool
    _ = x.isMultipath as Bool
    _ = x.isProxyConnection as Bool
    _ = x.isReusedConnection as Bool
    _ = x.localAddress as String?
    _ = x.localPort as String?
    _ = x.negotiatedTLSCipherSuite as tls_ciphersuite_t?
    _ = x.negotiatedTLSProtocolVersion as tls_protocol_version_t?
    _ = x.networkProtocolName as String?
    _ = x.remoteAddress as String?
    _ = x.remotePort as String?
    _ = x.request as URLRequest
    _ = x.requestEndDate as Date?
    _ = x.requestStartDate as Date?
    _ = x.resourceFetchType as URLSessionTaskMetrics.ResourceFetchType
    _ = x.response as (any URLResponse)?
    _ = x.responseEndDate as Date?
    _ = x.responseStartDate as Date?
    _ = x.secureConnectionEndDate as Date?
    _ = x.secureConnectionStartDate as Date?
}

func membersOfURLSessionWebSocketTask(_ x: URLSessionWebSocketTask) {
    _ = x.cancel(with:reason:) as (URLSessionWebSocketTask.CloseCode, Data?) -> Void
    _ = x.closeCode as URLSessionWebSocketTask.CloseCode
    _ = x.closeReason as Data?
    _ = URLSessionWebSocketTask.CloseCode.self
    _ = URLSessionWebSocketTask.CloseCode.abnormalClosure as URLSessionWebSocketTask.CloseCode
    _ = URLSessionWebSocketTask.CloseCode.goingAway as URLSessionWebSocketTask.CloseCode
    _ = URLSessionWebSocketTask.CloseCode.internalServerError as URLSessionWebSocketTask.CloseCode
    _ = URLSessionWebSocketTask.CloseCode.invalid as URLSessionWebSocketTask.CloseCode
    _ = URLSessionWebSocketTask.CloseCode.invalidFramePayloadData as URLSessionWebSocketTask.CloseCode
    _ = URLSessionWebSocketTask.CloseCode.mandatoryExtensionMissing as URLSessionWebSocketTask.CloseCode
    _ = URLSessionWebSocketTask.CloseCode.messageTooBig as URLSessionWebSocketTask.CloseCode
    _ = URLSessionWebSocketTask.CloseCode.noStatusReceived as URLSessionWebSocketTask.CloseCode
    _ = URLSessionWebSocketTask.CloseCode.normalClosure as URLSessionWebSocketTask.CloseCode
    _ = URLSessionWebSocketTask.CloseCode.policyViolation as URLSessionWebSocketTask.CloseCode
    _ = URLSessionWebSocketTask.CloseCode.protocolError as URLSessionWebSocketTask.CloseCode
    _ = URLSessionWebSocketTask.CloseCode.tlsHandshakeFailure as URLSessionWebSocketTask.CloseCode
    _ = URLSessionWebSocketTask.CloseCode.unsupportedData as URLSessionWebSocketTask.CloseCode
    _ = URLSessionWebSocketTask.CloseCode.init(rawValue:) as (Int) -> URLSessionWebSocketTask.CloseCode?
    x.maximumMessageSize = 1 as Int
    _ = URLSessionWebSocketTask.Message.self
    _ = URLSessionWebSocketTask.Message.data(_:) as (Data) -> URLSessionWebSocketTask.Message
    _ = URLSessionWebSocketTask.Message.string(_:) as (String) -> URLSessionWebSocketTask.Message
    _ = { @Sendable [x] in try await x.receive() as URLSessionWebSocketTask.Message }
    _ =
        x.receive(completionHandler:)
        as (@escaping @Sendable (Result<URLSessionWebSocketTask.Message, any Error>) -> Void) -> Void
    _ = { @Sendable [x] (message: URLSessionWebSocketTask.Message) in try await x.send(message) }
    _ =
        x.send(_:completionHandler:)
        as (URLSessionWebSocketTask.Message, @escaping @Sendable ((any Error)?) -> Void) -> Void
    _ = { @Sendable [x] in try await x.sendPing() }
    _ = x.sendPing(pongReceiveHandler:) as (@escaping @Sendable ((any Error)?) -> Void) -> Void
}
