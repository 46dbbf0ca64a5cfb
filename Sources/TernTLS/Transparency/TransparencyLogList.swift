// SPDX-License-Identifier: Apache-2.0

/// The logs of certificates that a policy knows. Two lists are equal if their contents are.
///
/// A shared, immutable value: copying and comparing it costs little.
public struct TransparencyLogList: Sendable {
    private final class Storage: Sendable {
        let logs: [[UInt8]: TransparencyLog]
        let order: [TransparencyLog]
        let time: Int64?
        let skipped: [String]
        let fingerprint: [UInt8]

        init(logs: [TransparencyLog], time: Int64?, skipped: [String]) {
            self.skipped = skipped
            order = logs
            self.logs = Dictionary(logs.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
            self.time = time
            // Lengths first, so that no other list has the same bytes.
            let texts = [time.map { "\($0)" } ?? "never"] + logs.flatMap { ["\($0.parts.count)"] + $0.parts }
            let bytes = texts.flatMap { Array("\($0.utf8.count) ".utf8) + Array($0.utf8) }
            fingerprint = X509Certificate.PublicKey(subjectPublicKeyInfo: bytes).sha256
        }
    }

    private let storage: Storage

    /// Creates a list. Of two logs with the same key the first counts.
    ///
    /// - Parameters:
    ///   - logs: the logs.
    ///   - time: when the list was made, in seconds since 1970; nil if that is unknown.
    public init(logs: [TransparencyLog], time: Int64?) { self.init(logs: logs, time: time, skipped: []) }

    package init(logs: [TransparencyLog], time: Int64?, skipped: [String]) {
        storage = Storage(logs: logs, time: time, skipped: skipped)
    }

    /// The logs that a list has and that were left out, each as a sentence that says where and why: for people who look
    /// after the list. They do not distinguish lists.
    public var skipped: [String] { storage.skipped }

    /// The logs, in the list's order.
    public var logs: [TransparencyLog] { storage.order }

    /// When the list was made, in seconds since 1970; nil if that is unknown.
    public var time: Int64? { storage.time }

    /// The log that a timestamp names by the SHA-256 of its key; nil for one that is not in the list.
    public func log(id: [UInt8]) -> TransparencyLog? { storage.logs[id] }

    /// The same for equal lists in every process, and different for others.
    package var fingerprint: [UInt8] { storage.fingerprint }
}

extension TransparencyLogList: Hashable {
    public static func == (left: TransparencyLogList, right: TransparencyLogList) -> Bool {
        left.storage === right.storage || left.fingerprint == right.fingerprint
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(fingerprint) }
}
