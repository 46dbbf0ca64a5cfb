// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// What Tern wants to be, and whether it is.
struct Goal: Encodable {
    let text: String
    let figure: Double?
    let limit: Double
    /// Whether the limit is the least there must be, rather than the most there may be.
    let isMinimum: Bool
    private(set) var holds: Bool?
    /// Whether the machine was busy with something else.
    private(set) var isUnjudged = false

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

    /// The same without a verdict.
    var unjudged: Goal {
        var goal = self
        (goal.holds, goal.isUnjudged) = (nil, true)
        return goal
    }

    var verdict: String {
        switch holds {
        case true?: "holds"
        case false?: "does not hold"
        case nil: isUnjudged ? "no verdict: the machine was busy" : "not measured"
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
