// SPDX-License-Identifier: Apache-2.0
import Foundation

/// The value of a variable of `-w`.
enum WriteOutValue: Encodable {
    case number(Int)
    /// A status code, three digits long.
    case status(Int)
    case seconds(Double)
    /// A text that a server may have chosen. Nil is empty.
    case text(String?)

    /// Without characters that control a terminal.
    var shown: String {
        switch self {
        case .number(let number): "\(number)"
        case .status(let status): ResponseHeadText.status(status)
        case .seconds(let seconds): String(format: "%.6f", seconds)
        case .text(let text): TerminalText.cleaned(text ?? "")
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .number(let number), .status(let number): try container.encode(number)
        case .seconds(let seconds): try container.encode(seconds)
        case .text(let text): try container.encode(text)
        }
    }
}
