// SPDX-License-Identifier: Apache-2.0
import CTernLinux
import TernLibC

/// A host name could not be resolved to addresses.
public struct ResolveError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Why the look-up failed.
    public enum Reason: Sendable, Hashable {
        /// The name does not exist, or has no address.
        case unknownHost
        /// The resolver gave no answer; a later look-up may succeed.
        case temporaryFailure
        /// The resolver failed for another reason.
        case failure
        /// The name was not looked up: too many look-ups hang, so that no thread is left.
        case tooManyHangingLookUps
        /// The host is an address, and of another family than the setting for addresses allows.
        case otherFamily
    }

    /// The reason, which tells whether a repeated look-up may help.
    public let reason: Reason
    /// The name that was looked up.
    public let host: String
    /// The `EAI_…` code of getaddrinfo(3); 0 if it was not called.
    public let code: Int32
    /// The error of a resolver of the program's own; nil for others.
    public let underlying: (any Error)?

    /// Creates an error, for a resolver of the program's own.
    public init(host: String, reason: Reason, underlying: (any Error)? = nil) {
        self.host = host
        self.reason = reason
        self.underlying = underlying
        code = 0
    }

    init(host: String, code: Int32) {
        self.host = host
        self.code = code
        underlying = nil
        reason =
            switch code {
            case EAI_NONAME, noDataCode, addressFamilyCode: .unknownHost
            case EAI_AGAIN: .temporaryFailure
            default: .failure
            }
    }

    /// Returns the error for a missing thread to look `host` up on.
    static func noThread(_ host: String) -> ResolveError { ResolveError(host: host, code: EAI_AGAIN) }

    /// Returns the error for a resolver whose threads all hang.
    static func tooManyHanging(_ host: String) -> ResolveError {
        ResolveError(host: host, reason: .tooManyHangingLookUps)
    }

    /// The host, and the message of getaddrinfo(3) if it was called.
    public var description: String {
        let host = host.utf8.count > 100 ? host.prefix(99) + "\u{2026}" : host[...]
        if code == 0 { return "\(host): \(withoutCode)" }
        guard let text = unsafe gai_strerror(code) else { return "\(host): code \(code)" }
        return unsafe "\(host): \(String(cString: text))"
    }

    /// What an error says that getaddrinfo(3) has not given.
    private var withoutCode: String {
        if let underlying { return "the resolver failed: \("\(underlying)".prefix(200))" }
        return switch reason {
        case .unknownHost: "the resolver has no address"
        case .temporaryFailure: "the resolver gave no answer"
        case .failure: "the resolver failed"
        case .tooManyHangingLookUps: "not looked up, because \(ResolverThreads.maximum) look-ups hang already"
        case .otherFamily: "an address of the other family, which the setting for addresses excludes"
        }
    }

    /// Compares all but ``underlying``.
    public static func == (left: ResolveError, right: ResolveError) -> Bool {
        left.reason == right.reason && left.host == right.host && left.code == right.code
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(reason)
        hasher.combine(host)
        hasher.combine(code)
    }
}

// EAI_NODATA and EAI_ADDRFAMILY: glibc declares them only under _GNU_SOURCE; the numbers are part of its ABI.
private let noDataCode: Int32 = -5
private let addressFamilyCode: Int32 = -9
