// SPDX-License-Identifier: Apache-2.0

/// The methods that change how a message is framed or addressed. Case-sensitive (RFC 9110 §9.1).
enum RequestMethod {
    case head
    case connect
    case options
    case trace
    /// POST, PUT, PATCH: a server expects content with them (RFC 9110 §8.6).
    case usuallyWithContent
    case other

    init(_ name: String) {
        switch name {
        case "GET": self = .other
        case "HEAD": self = .head
        case "CONNECT": self = .connect
        case "OPTIONS": self = .options
        case "TRACE": self = .trace
        case "POST", "PUT", "PATCH": self = .usuallyWithContent
        case _: self = .other
        }
    }
}
