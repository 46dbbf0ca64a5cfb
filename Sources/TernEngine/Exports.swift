// SPDX-License-Identifier: Apache-2.0
// What a user of this module needs of the modules below it, symbol by symbol.

@_exported public import struct TernHTTP1.HTTP1Error
@_exported public import struct TernHTTP1.HTTPField
@_exported public import struct TernHTTP1.HTTPFields
@_exported public import struct TernHTTP1.HTTPVersion
@_exported public import struct TernHTTP1.Leniency
@_exported public import struct TernHTTP1.Limits
@_exported public import struct TernHTTP1.Origin
@_exported public import struct TernHTTP1.ResponseHead
@_exported public import enum TernHTTP1.Scheme
@_exported public import struct TernIO.ConnectError
@_exported public import struct TernIO.MonotonicInstant
@_exported public import struct TernIO.ResolveError
@_exported public import struct TernIO.SocketAddress
@_exported public import struct TernIO.SystemError
@_exported public import struct TernTLS.Anchors
@_exported public import struct TernTLS.Certificate
@_exported public import struct TernTLS.CertificateError
@_exported public import struct TernTLS.ClientIdentity
@_exported public import struct TernTLS.ClientIdentityError
@_exported public import struct TernTLS.HostPattern
@_exported public import enum TernTLS.HostPatternError
@_exported public import class TernTLS.KeyLog
@_exported public import enum TernTLS.PinError
@_exported public import struct TernTLS.PinFailureReport
@_exported public import struct TernTLS.PinSet
@_exported public import struct TernTLS.PublicKey
@_exported public import struct TernTLS.ServerTrust
@_exported public import enum TernTLS.ServerTrustPolicy
@_exported public import class TernTLS.ServerTrustPolicyManager
@_exported public import struct TernTLS.ServerTrustResult
@_exported public import struct TernTLS.TLSConfiguration
@_exported public import struct TernTLS.TLSError
@_exported public import struct TernTLS.TLSInfo
@_exported public import enum TernTLS.TLSVersion
@_exported public import struct TernTLS.TrustFailure
