// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// What Tern wants to be, and whether it is.
struct Goal: Encodable {
    let text: String
    let figure: Double?
    let limit: Double
    /// Whether the limit is the least there must be, rather than the most there may be.
    let isMinimum: Bool
    let holds: Bool?

    init(_ text: String, _ figure: Double?, atMost limit: Double) {
        self.text = text
        self.figure = figure
        self.limit = limit
        isMinimum = false
        holds = figure.map { $0 <= limit }
    }

    init(_ text: String, _ figure: Double?, atLeast limit: Double) {
        self.text = text
        self.figure = figure
        self.limit = limit
        isMinimum = true
        holds = figure.map { $0 >= limit }
    }

    var verdict: String {
        switch holds {
        case true?: "holds"
        case false?: "does not hold"
        case nil: "not measured"
        }
    }
}

extension [Goal] {
    /// A table with a verdict on each; nothing where there is none.
    var section: String {
        if isEmpty { return "" }
        let lines = map {
            [$0.text, ($0.isMinimum ? "≥ " : "≤ ") + $0.limit.formatted(), Markdown.figure($0.figure), $0.verdict]
        }
        return "**goals**\n\n" + Markdown.table([["goal", "limit", "measured", "verdict"]] + lines)
    }
}
