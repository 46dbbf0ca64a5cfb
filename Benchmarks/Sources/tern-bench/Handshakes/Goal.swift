// SPDX-License-Identifier: Apache-2.0

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
