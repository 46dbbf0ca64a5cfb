// SPDX-License-Identifier: Apache-2.0
import Tern
import TernEngine
import TernTLS

/// One line of a batch's output: `{"id", "verdict": "accept" or "refuse", "reason", "detail"}`.
struct BatchVerdict {
    /// Echoed as given, a string or a number.
    enum ID {
        case string(String)
        case number(String)

        init(_ element: JSONElement) throws(Malformed) {
            switch element.node.value {
            case .string(let string): self = .string(string)
            case .number(let number): self = .number(number)
            default: throw Malformed(detail: "id: a string or a number is expected here, not \(element.node.kind)")
            }
        }

        var json: String {
            switch self {
            case .string(let string): JSONText.quoted(string)
            case .number(let number): number
            }
        }
    }

    private let id: ID?
    private let isAccepted: Bool
    private let reason: String
    private let detail: String

    init(id: ID?, _ result: ServerTrustResult) {
        self.id = id
        isAccepted = result.isAccepted
        reason = result.rule
        detail = result.sentence
    }

    init(id: ID?, _ malformed: Malformed) {
        self.id = id
        isAccepted = false
        reason = malformed.reason
        detail = malformed.detail
    }

    var json: String {
        """
        {"id":\(id?.json ?? "null"),"verdict":"\(isAccepted ? "accept" : "refuse")",\
        "reason":\(JSONText.quoted(reason)),"detail":\(JSONText.quoted(detail))}
        """
    }
}
