// SPDX-License-Identifier: Apache-2.0
// All of Tern, and URLSession's names one by one: a name that is imported individually takes precedence over one that
// comes with a whole module, so that `URLError` is Tern's even if Foundation is imported as well.

@_exported public import Tern
@_exported public import struct TernNames.HTTPCookiePropertyKey
@_exported public import class TernNames.NSMutableURLRequest
@_exported public import let TernNames.NSURLAuthenticationMethodClientCertificate
@_exported public import let TernNames.NSURLAuthenticationMethodDefault
@_exported public import let TernNames.NSURLAuthenticationMethodHTMLForm
@_exported public import let TernNames.NSURLAuthenticationMethodHTTPBasic
@_exported public import let TernNames.NSURLAuthenticationMethodHTTPDigest
@_exported public import let TernNames.NSURLAuthenticationMethodNegotiate
@_exported public import let TernNames.NSURLAuthenticationMethodNTLM
@_exported public import let TernNames.NSURLAuthenticationMethodServerTrust
@_exported public import let TernNames.NSURLCredentialStorageRemoveSynchronizableCredentials
@_exported public import let TernNames.NSURLProtectionSpaceFTP
@_exported public import let TernNames.NSURLProtectionSpaceFTPProxy
@_exported public import let TernNames.NSURLProtectionSpaceHTTP
@_exported public import let TernNames.NSURLProtectionSpaceHTTPProxy
@_exported public import let TernNames.NSURLProtectionSpaceHTTPS
@_exported public import let TernNames.NSURLProtectionSpaceHTTPSProxy
@_exported public import let TernNames.NSURLProtectionSpaceSOCKSProxy
@_exported public import class TernNames.NSURLRequest
@_exported public import let TernNames.NSURLSessionDownloadTaskResumeData
@_exported public import let TernNames.NSURLSessionTransferSizeUnknown
@_exported public import typealias TernNames.URLAuthenticationChallenge
@_exported public import protocol TernNames.URLAuthenticationChallengeSender
@_exported public import typealias TernNames.URLCredential
@_exported public import typealias TernNames.URLCredentialStorage
@_exported public import typealias TernNames.URLError
@_exported public import typealias TernNames.URLProtectionSpace
@_exported public import class TernNames.URLProtocol
@_exported public import protocol TernNames.URLProtocolClient
@_exported public import typealias TernNames.URLResponse
@_exported public import typealias TernNames.URLSession
@_exported public import class TernNames.URLSessionConfiguration
@_exported public import protocol TernNames.URLSessionDataDelegate
@_exported public import typealias TernNames.URLSessionDataTask
@_exported public import protocol TernNames.URLSessionDelegate
@_exported public import protocol TernNames.URLSessionDownloadDelegate
@_exported public import typealias TernNames.URLSessionDownloadTask
@_exported public import protocol TernNames.URLSessionStreamDelegate
@_exported public import typealias TernNames.URLSessionStreamTask
@_exported public import typealias TernNames.URLSessionTask
@_exported public import protocol TernNames.URLSessionTaskDelegate
@_exported public import typealias TernNames.URLSessionTaskMetrics
@_exported public import typealias TernNames.URLSessionTaskTransactionMetrics
@_exported public import typealias TernNames.URLSessionUploadTask
@_exported public import enum TernNames.tls_ciphersuite_t
@_exported public import typealias TernNames.tls_protocol_version_t
