// SPDX-License-Identifier: Apache-2.0

/// The request fields an encoder must understand itself.
enum RequestField {
    case host
    case expect
    case upgrade
    case connection
    case contentLength
    case transferEncoding

    init?(_ name: String) {
        switch name.utf8.count {
        case 4 where name.isFieldName("Host"): self = .host
        case 6 where name.isFieldName("Expect"): self = .expect
        case 7 where name.isFieldName("Upgrade"): self = .upgrade
        case 10 where name.isFieldName("Connection"): self = .connection
        case 14 where name.isFieldName("Content-Length"): self = .contentLength
        case 17 where name.isFieldName("Transfer-Encoding"): self = .transferEncoding
        case _: return nil
        }
    }
}
