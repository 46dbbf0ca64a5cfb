// SPDX-License-Identifier: Apache-2.0

/// What a certificate lacks for a policy of Certificate Transparency.
public enum TransparencyShortfall: Sendable, Hashable {
    /// There is no signed certificate timestamp: neither in the certificate, nor from the server, nor in its staple.
    case noTimestamps
    /// The timestamps that count are of fewer logs than the policy requires.
    case tooFewLogs(found: Int, required: Int)
    /// The timestamps that count are of fewer operators of logs than the policy requires.
    case tooFewOperators(found: Int, required: Int)
    /// All timestamps that count are of logs that have been retired.
    case noCurrentLog
    /// All timestamps that count are of tiled logs.
    case onlyTiledLogs
    /// The list of logs is older than the policy allows, or does not tell its age, so nothing can be said.
    case outdatedList
    /// There is no list of logs: neither the policy has one, nor the session.
    case noList

    /// What is missing, as a sentence without a full stop.
    package var sentence: String {
        switch self {
        case .noTimestamps: "there is no certificate timestamp, so no log has promised to publish the certificate"
        case .tooFewLogs(let found, let required):
            "certificate timestamps of \(required) logs are required, and those of \(found) count"
        case .tooFewOperators(let found, let required):
            "certificate timestamps of \(required) operators of logs are required, and those of \(found) count"
        case .noCurrentLog: "every certificate timestamp that counts is of a log that has been retired"
        case .onlyTiledLogs: "every certificate timestamp that counts is of a tiled log, and one of another is required"
        case .outdatedList: "the list of certificate logs is out of date, and the policy requires a current one"
        case .noList: "no list of certificate logs is given"
        }
    }
}
