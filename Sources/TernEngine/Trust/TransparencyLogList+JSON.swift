// SPDX-License-Identifier: Apache-2.0
public import FoundationEssentials
public import TernTLS

/// Lists of logs in the format that Google and Apple publish (version 3 of the schema): `operators[].logs[]` and
/// `operators[].tiled_logs[]` with `description`, `log_id`, `key`, `state` and `temporal_interval`, and
/// `log_list_timestamp`. Other members are ignored: the lists have more, and get new ones. A log with a key that this
/// version cannot use, or with the identifier of another key, is left out: ``TernTLS/TransparencyLogList/skipped``.
extension TransparencyLogList {
    /// Reads a list from its JSON text. Does not block.
    public init(json: some Sequence<UInt8>) throws(PolicyFileError) {
        let json = Array(json)
        var fields = try JSONFields(reading: json)
        let time = try fields.take("log_list_timestamp")?.time()
        var logs: [TransparencyLog] = []
        var skipped: [PolicyFileError] = []
        for element in try fields.require("operators").elements() {
            var fields = try JSONFields(element)
            let name = try fields.require("name").string()
            for member in ["logs", "tiled_logs"] {
                for element in try fields.take(member)?.elements() ?? [] {
                    do throws(PolicyFileError) {
                        logs.append(try element.log(operatedBy: name, isTiled: member == "tiled_logs"))
                    } catch {
                        switch error.reason {
                        // A list that gets a log of a new kind is no worse for the others.
                        case .invalidLogKey, .wrongLogID, .invalidBase64: skipped.append(error)
                        default: throw error
                        }
                    }
                }
            }
        }
        if logs.isEmpty, let first = skipped.first { throw first }
        self.init(logs: logs, time: time, skipped: skipped.map(\.description))
    }

    /// Reads a list, if it is signed.
    ///
    /// - Parameters:
    ///   - json: the list, byte for byte as it was signed.
    ///   - signature: the contents of the signature's file, such as `log_list.sig`: ECDSA or RSA with SHA-256.
    ///   - publicKey: the contents of the key's file: DER, or a PEM text with a `PUBLIC KEY` block.
    public init(json: some Sequence<UInt8>, signature: some Sequence<UInt8>, publicKey: some Sequence<UInt8>)
        throws(PolicyFileError)
    {
        let (json, signature, publicKey) = (Array(json), Array(signature), Array(publicKey))
        guard VerificationKey.isSigned(json, by: publicKey, signature: signature) else {
            throw PolicyFileError(.invalidSignature)
        }
        try self.init(json: json)
    }

    /// Reads a list from a regular file of at most 16 MB. Blocks while the file is read.
    public init(contentsOf file: URL) throws(PolicyFileError) {
        try self.init(json: try PolicyFile.contents(of: file))
    }

    /// Reads a list from a file, if it is signed; see ``init(json:signature:publicKey:)``. Blocks while the files are
    /// read.
    public init(contentsOf file: URL, signature: URL, publicKey: some Sequence<UInt8>) throws(PolicyFileError) {
        let publicKey = Array(publicKey)
        try self.init(
            json: try PolicyFile.contents(of: file), signature: try PolicyFile.contents(of: signature),
            publicKey: publicKey)
    }
}

/// The words for the states of a log that have only a beginning.
private enum LogState: String, CaseIterable {
    case pending, qualified, usable, readonly, retired, rejected

    func state(since time: Int64) -> TransparencyLog.State {
        switch self {
        case .pending: .pending
        case .qualified: .qualified
        case .usable: .usable
        case .readonly: .readOnly
        case .retired: .retired(since: time)
        case .rejected: .rejected
        }
    }
}

extension JSONElement {
    fileprivate func log(operatedBy name: String, isTiled: Bool) throws(PolicyFileError) -> TransparencyLog {
        var fields = try JSONFields(self)
        let key = try fields.require("key")
        let id = try fields.require("log_id")
        var state = try fields.take("state")?.logState() ?? .unknown
        // Logs for tests promise nothing.
        if try fields.take("log_type")?.string() == "test" { state = .rejected }
        let log = TransparencyLog(
            description: try fields.take("description")?.string() ?? "", operatorName: name,
            formerOperators: try fields.take("previous_operators")?.elements { element throws(PolicyFileError) in
                try element.formerOperator()
            } ?? [],
            key: try key.base64(), state: state,
            temporalInterval: try fields.take("temporal_interval")?.interval(), isTiled: isTiled)
        guard let log else { throw key.error(.invalidLogKey) }
        guard try id.base64() == log.id else { throw id.error(.wrongLogID) }
        return log
    }

    private func formerOperator() throws(PolicyFileError) -> TransparencyLog.FormerOperator {
        var fields = try JSONFields(self)
        return TransparencyLog.FormerOperator(
            name: try fields.require("name").string(), until: try fields.require("end_time").time())
    }

    /// An object with one member, whose name is the state.
    private func logState() throws(PolicyFileError) -> TransparencyLog.State {
        var fields = try JSONFields(self)
        for word in LogState.allCases {
            guard let element = fields.take(word.rawValue) else { continue }
            var inner = try JSONFields(element)
            return word.state(since: try inner.require("timestamp").time())
        }
        return .unknown
    }

    private func interval() throws(PolicyFileError) -> Range<Int64> {
        var fields = try JSONFields(self)
        let start = try fields.require("start_inclusive").time()
        let end = try fields.require("end_exclusive").time()
        guard start <= end else { throw error(.emptyInterval) }
        return start..<end
    }
}
