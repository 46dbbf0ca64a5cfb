// SPDX-License-Identifier: Apache-2.0

internal import CHTTPParser

/// A batch of connections that each read one response. Making them ready is not measured, reading is: a request is
/// encoded for the one side, and nothing for the other.
protocol ResponseParser: AnyObject {
    /// Makes every connection ready for a response.
    func begin() throws
    /// Has every connection read `bytes`, one whole response, and adds to `tally` what they found.
    func read(_ bytes: [UInt8], _ tally: inout parsing_tally) throws
}

/// How many connections a batch has: enough that reading the clock costs nothing, few enough to stay in the first
/// cache.
let parsersPerBatch = 16

/// A response was not found whole, or the sides found different things in it.
struct ParsingFailed: Error, CustomStringConvertible {
    let message: String
    var description: String { "parsing: \(message)" }
}
