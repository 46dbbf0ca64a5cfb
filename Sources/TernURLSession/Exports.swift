// SPDX-License-Identifier: Apache-2.0
// URLSession's names. Those of the engine are lent one by one: a program has no others of them. The two modules that are lent as a
// whole have such names alone: an operator, and a member before one of the engine, is found of a whole module. A name that is imported
// individually takes precedence over one that comes with a whole module, so that `URLError` is ours even if Foundation is imported as
// well. scripts/check-names compares all of them with FoundationNetworking's.

@_exported public import struct TernEngine.CachedURLResponse
@_exported public import struct TernEngine.HTTPCookie
@_exported public import class TernEngine.HTTPCookieStorage
@_exported public import struct TernEngine.HTTPURLResponse
@_exported public import class TernEngine.URLCache
@_exported public import struct TernEngine.URLRequest
@_exported public import TernFoundation
@_exported public import TernURLSessionNames
@_exported public import struct TernURLSessionNames.HTTPCookiePropertyKey
@_exported public import class TernURLSessionNames.NSMutableURLRequest
@_exported public import let TernURLSessionNames.NSURLAuthenticationMethodClientCertificate
@_exported public import let TernURLSessionNames.NSURLAuthenticationMethodDefault
@_exported public import let TernURLSessionNames.NSURLAuthenticationMethodHTMLForm
@_exported public import let TernURLSessionNames.NSURLAuthenticationMethodHTTPBasic
@_exported public import let TernURLSessionNames.NSURLAuthenticationMethodHTTPDigest
@_exported public import let TernURLSessionNames.NSURLAuthenticationMethodNTLM
@_exported public import let TernURLSessionNames.NSURLAuthenticationMethodNegotiate
@_exported public import let TernURLSessionNames.NSURLAuthenticationMethodServerTrust
@_exported public import let TernURLSessionNames.NSURLCredentialStorageRemoveSynchronizableCredentials
@_exported public import let TernURLSessionNames.NSURLProtectionSpaceFTP
@_exported public import let TernURLSessionNames.NSURLProtectionSpaceFTPProxy
@_exported public import let TernURLSessionNames.NSURLProtectionSpaceHTTP
@_exported public import let TernURLSessionNames.NSURLProtectionSpaceHTTPProxy
@_exported public import let TernURLSessionNames.NSURLProtectionSpaceHTTPS
@_exported public import let TernURLSessionNames.NSURLProtectionSpaceHTTPSProxy
@_exported public import let TernURLSessionNames.NSURLProtectionSpaceSOCKSProxy
@_exported public import class TernURLSessionNames.NSURLRequest
@_exported public import let TernURLSessionNames.NSURLSessionTransferSizeUnknown
@_exported public import typealias TernURLSessionNames.URLAuthenticationChallenge
@_exported public import protocol TernURLSessionNames.URLAuthenticationChallengeSender
@_exported public import typealias TernURLSessionNames.URLCredential
@_exported public import typealias TernURLSessionNames.URLCredentialStorage
@_exported public import typealias TernURLSessionNames.URLError
@_exported public import typealias TernURLSessionNames.URLProtectionSpace
@_exported public import class TernURLSessionNames.URLProtocol
@_exported public import protocol TernURLSessionNames.URLProtocolClient
@_exported public import protocol TernURLSessionNames.URLResponse
@_exported public import typealias TernURLSessionNames.URLSession
@_exported public import class TernURLSessionNames.URLSessionConfiguration
@_exported public import protocol TernURLSessionNames.URLSessionDataDelegate
@_exported public import typealias TernURLSessionNames.URLSessionDataTask
@_exported public import protocol TernURLSessionNames.URLSessionDelegate
@_exported public import protocol TernURLSessionNames.URLSessionDownloadDelegate
@_exported public import typealias TernURLSessionNames.URLSessionDownloadTask
@_exported public import let TernURLSessionNames.URLSessionDownloadTaskResumeData
@_exported public import protocol TernURLSessionNames.URLSessionStreamDelegate
@_exported public import typealias TernURLSessionNames.URLSessionStreamTask
@_exported public import typealias TernURLSessionNames.URLSessionTask
@_exported public import protocol TernURLSessionNames.URLSessionTaskDelegate
@_exported public import typealias TernURLSessionNames.URLSessionTaskMetrics
@_exported public import typealias TernURLSessionNames.URLSessionTaskTransactionMetrics
@_exported public import typealias TernURLSessionNames.URLSessionUploadTask
@_exported public import protocol TernURLSessionNames.URLSessionWebSocketDelegate
@_exported public import class TernURLSessionNames.URLSessionWebSocketTask
@_exported public import enum TernURLSessionNames.tls_ciphersuite_t
@_exported public import typealias TernURLSessionNames.tls_protocol_version_t
