// SPDX-License-Identifier: Apache-2.0
// All of Tern, and the old names one by one: a name that is imported individually takes precedence over one that comes
// with a whole module, so that `URLError` is Tern's even if Foundation is imported as well.

@_exported public import Tern
@_exported public import TernAFNetworking
@_exported public import TernURLSession
@_exported public import enum TernNames.Alamofire
@_exported public import typealias TernNames.CFAbsoluteTime
@_exported public import func TernNames.CFAbsoluteTimeGetCurrent
@_exported public import typealias TernNames.CFData
@_exported public import typealias TernNames.CFOptionFlags
@_exported public import typealias TernNames.Result
@_exported public import typealias TernNames.SecCertificate
@_exported public import func TernNames.SecCertificateCopyData
@_exported public import func TernNames.SecCertificateCopyKey
@_exported public import func TernNames.SecCertificateCreateWithData
@_exported public import typealias TernNames.SecKey
@_exported public import typealias TernNames.SecTrust
@_exported public import let TernNames.kSecRevocationCRLMethod
@_exported public import let TernNames.kSecRevocationNetworkAccessDisabled
@_exported public import let TernNames.kSecRevocationOCSPMethod
@_exported public import let TernNames.kSecRevocationPreferCRL
@_exported public import let TernNames.kSecRevocationRequirePositiveResponse
@_exported public import let TernNames.kSecRevocationUseAnyAvailableMethod
