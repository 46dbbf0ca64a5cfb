// SPDX-License-Identifier: Apache-2.0

/// Why a text is neither a host nor a host pattern.
public enum HostPatternError: Error, Sendable, Hashable {
    /// The text is neither a DNS name in A-label form nor an IP address without brackets.
    case invalidHost(String)
    /// There is an asterisk anywhere but in `*.` or `**.` at the beginning.
    case misplacedWildcard(String)
}

extension HostPatternError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .invalidHost(let text):
            "\"\(text)\" is neither a DNS name (in its xn-- form, if it is international) nor an IP address"
        case .misplacedWildcard(let text): "\"\(text)\" may have an asterisk only in \"*.\" or \"**.\" at the beginning"
        }
    }
}
