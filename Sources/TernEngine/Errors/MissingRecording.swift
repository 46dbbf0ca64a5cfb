// SPDX-License-Identifier: Apache-2.0

/// A request that a cassette does not answer. Nothing was sent.
public struct MissingRecording: Error, Sendable, Hashable {
    /// Why it does not.
    public enum Rule: Sendable, Hashable {
        /// No request with its method and URL was recorded.
        case request
        /// The recorded requests with its method and URL have another value of this field.
        case field(String)
        /// They have other content.
        case content
        /// They have been answered: each is once.
        case played(count: Int)
    }

    /// Why it does not: of all recorded requests that of the nearest.
    public let rule: Rule
    /// Its method and its URL, without secrets.
    public let request: String

    init(_ rule: Rule, of request: String) { (self.rule, self.request) = (rule, request) }
}

extension MissingRecording: CustomStringConvertible {
    /// One line for a log.
    public var description: String {
        let request = request.excerpt
        return switch rule {
        case .request: "the cassette has no recording of \(request)"
        case .field(let name): "the cassette has \(request) with another \(name.excerpt)"
        case .content: "the cassette has \(request) with other content"
        case .played(let count):
            "the cassette has \(request) \(count == 1 ? "once" : "\(count) times"), and all of that has been played"
        }
    }
}
