// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernFiles

/// The value of a variable of `-w`.
enum WriteOutValue: Encodable {
    case number(Int)
    /// A status code, three digits long.
    case status(Int)
    case seconds(Double)
    /// A text that a server may have chosen. Nil is empty.
    case text(String?)
    /// Bytes of a server or of an option. Nil is empty.
    case bytes([UInt8]?)

    /// As it is written to a file or a pipe.
    var bytes: [UInt8] {
        switch self {
        case .number(let number): Array("\(number)".utf8)
        case .status(let status): Array(ResponseHeadText.status(status).utf8)
        case .seconds(let seconds): Array(String(format: "%.6f", seconds).utf8)
        case .text(let text): Array((text ?? "").utf8)
        case .bytes(let bytes): bytes ?? []
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .number(let number), .status(let number): try container.encode(number)
        case .seconds(let seconds): try container.encode(seconds)
        case .text(let text): try container.encode(text)
        case .bytes(let bytes): try container.encode(bytes.map { ByteText.text(of: $0) })
        }
    }
}
