// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernEngine
import TernURLSession

// The members that Darwin has and FoundationNetworking on Linux has not.

func darwinMembersOfURLSession(_ x: URLSession) {
    _ =
        x.bytes(for:delegate:)
        as (URLRequest, (any URLSessionTaskDelegate)?) async throws -> (URLSession.AsyncBytes, any URLResponse)
    _ =
        x.bytes(from:delegate:)
        as (URL, (any URLSessionTaskDelegate)?) async throws -> (URLSession.AsyncBytes, any URLResponse)
    _ = x.download(resumeFrom:delegate:) as (Data, (any URLSessionTaskDelegate)?) async throws -> (URL, any URLResponse)
    _ = { @Sendable [x] in await x.allTasks as [URLSessionTask] }
    _ = { @Sendable [x] in await x.tasks as ([URLSessionDataTask], [URLSessionUploadTask], [URLSessionDownloadTask]) }
    _ = { @Sendable [x] in await x.reset() }
    _ = { @Sendable [x] in await x.flush() }
    _ = x.streamTask(withHostName:port:) as (String, Int) -> URLSessionStreamTask
}

func darwinMembersOfURLSessionTask(_ x: URLSessionTask) {
    change(&x.prefersIncrementalDelivery, as: Bool.self)
}

func darwinMembersOfURLSessionDownloadTask(_ x: URLSessionDownloadTask) {
    _ = { @Sendable [x] in await x.cancelByProducingResumeData() as Data? }
}

func darwinMembersOfURLSessionStreamTask(_ x: URLSessionStreamTask) {
    x.readData(
        ofMinLength: 1, maxLength: 2, timeout: 3.0 as TimeInterval,
        completionHandler: { (_: Data?, _: Bool, _: (any Error)?) in })
    _ = { @Sendable [x] in
        try await x.readData(ofMinLength: 1, maxLength: 2, timeout: 3.0 as TimeInterval) as (Data?, Bool)
    }
    x.write(Data(), timeout: 3.0 as TimeInterval, completionHandler: { (_: (any Error)?) in })
    _ = { @Sendable [x] in try await x.write(Data(), timeout: 3.0 as TimeInterval) }
    _ = x.closeRead as () -> Void
    _ = x.closeWrite as () -> Void
    _ = x.startSecureConnection as () -> Void
}

@available(*, deprecated)
func darwinMembersOfURLSessionConfiguration(_ x: URLSessionConfiguration) {
    _ = URLSessionConfiguration.background(withIdentifier:) as (String) -> URLSessionConfiguration
    change(&x.allowsExpensiveNetworkAccess, as: Bool.self)
    change(&x.allowsConstrainedNetworkAccess, as: Bool.self)
    change(&x.waitsForConnectivity, as: Bool.self)
    change(&x.sessionSendsLaunchEvents, as: Bool.self)
    change(&x.multipathServiceType, as: URLSessionConfiguration.MultipathServiceType.self)
    change(&x.tlsMinimumSupportedProtocolVersion, as: tls_protocol_version_t.self)
    change(&x.tlsMaximumSupportedProtocolVersion, as: tls_protocol_version_t.self)
}

func darwinMembersOfURLSessionDelegate(_ x: any URLSessionDelegate) {
    _ = x.urlSessionDidFinishEvents(forBackgroundURLSession:) as (URLSession) -> Void
}

func darwinMembersOfURLSessionTaskDelegate(_ x: any URLSessionTaskDelegate) {
    _ = x.urlSession(_:didCreateTask:) as (URLSession, URLSessionTask) -> Void
    _ = x.urlSession(_:taskIsWaitingForConnectivity:) as (URLSession, URLSessionTask) -> Void
}

func darwinMembersOfURLRequest(_ x: inout URLRequest) {
    change(&x.allowsExpensiveNetworkAccess, as: Bool.self)
    change(&x.allowsConstrainedNetworkAccess, as: Bool.self)
    change(&x.assumesHTTP3Capable, as: Bool.self)
    change(&x.attribution, as: URLRequest.Attribution.self)
    change(&x.requiresDNSSECValidation, as: Bool.self)
}

func darwinMembersOfURLCache(_ x: URLCache) {
    _ = URLCache.init(memoryCapacity:diskCapacity:directory:) as (Int, Int, URL?) -> URLCache
}

func darwinMembersOfHTTPCookie(_ x: HTTPCookie) {
    _ = x.sameSitePolicy as HTTPCookie.SameSitePolicy?
}

func darwinMembersOfHTTPCookiePropertyKey(_ x: HTTPCookiePropertyKey) {
    _ = HTTPCookiePropertyKey.sameSitePolicy as HTTPCookiePropertyKey
}

func darwinMembersOfHTTPCookieStorage(_ x: HTTPCookieStorage) {
    _ = x.storeCookies(_:for:) as ([HTTPCookie], URLSessionTask) -> Void
    _ = x.getCookiesFor(_:completionHandler:) as (URLSessionTask, ([HTTPCookie]?) -> Void) -> Void
}

func darwinMembersOfURLCredential(_ x: URLCredential) {
    _ = URLCredential.init(trust:) as (ServerTrust) -> URLCredential
    _ = x.identity as ClientIdentity?
    _ = x.certificates as [X509Certificate]
}

func darwinMembersOfURLProtectionSpace(_ x: URLProtectionSpace) {
    _ = x.serverTrust as ServerTrust?
}

func darwinMembersOfURLError(_ x: URLError) {
    _ = x.downloadTaskResumeData as Data?
}
