// SPDX-License-Identifier: Apache-2.0
import TernHTTP1

/// Why a signer of this module could not sign a request.
public enum SigningError: Error, Sendable, Hashable {
    /// The request has no URL that it can be sent to.
    case invalidRequest(InvalidRequest)
    /// The signature includes a hash of the content, which is a file or a stream.
    case contentNotInMemory
    /// A covered field is not in the request (RFC 9421 §2.5).
    case missingField(String)
    /// There is no derived component of this name, or it is not supported (RFC 9421 §2.2).
    case unknownComponent(String)
    /// A component is covered twice (RFC 9421 §2.5).
    case repeatedComponent(String)
    /// The value of this parameter cannot be expressed, such as a key number beyond ASCII (RFC 9651 §3.3.3).
    case invalidParameter(String)
    /// The key made no signature: it is too short for its algorithm, or OpenSSL has failed.
    case keyFailed
}

extension SigningError: CustomStringConvertible {
    /// One line for a log.
    public var description: String {
        switch self {
        case .invalidRequest(let error): "the request is invalid: \(error)"
        case .contentNotInMemory:
            "the hash of its content is signed, which is not in memory: set the field with the hash"
        case .missingField(let name):
            "the signature covers the field \(name.excerpt), which is not there (RFC 9421 §2.5)"
        case .unknownComponent(let name): "\(name.excerpt) is no component of a request (RFC 9421 §2.2)"
        case .repeatedComponent(let name): "the component \(name.excerpt) is covered twice (RFC 9421 §2.5)"
        case .invalidParameter(let name): "the \(name) of the signature cannot be expressed (RFC 9651 §3.3)"
        case .keyFailed: "the key made no signature"
        }
    }
}
