// SPDX-License-Identifier: Apache-2.0
import Foundation

/// What a variable of `-w` is filled with.
enum WriteOutValue: Encodable {
    case number(Int)
    /// A status code, three digits long.
    case status(Int)
    case seconds(Double)
    /// A server may have chosen it. Nil shows as nothing.
    case text(String?)

    /// With nothing in it that steers a terminal.
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
