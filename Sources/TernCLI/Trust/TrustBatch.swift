// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernEngine
import TernTLS

/// `tern trust evaluate --batch`: JSON lines in, one verdict per line out, in the same order.
struct TrustBatch: ~Copyable {
    private static let outputBuffer = 64 << 10

    private var reader: LineReader
    private var cache = CertificateCache()
    private var output = Data()

    init(path: String) throws(InputError) {
        reader = try LineReader(path: path)
    }

    /// Evaluates every case to the end of the file. An invalid line is refused, and the batch continues.
    ///
    /// - Throws: `LineReader.ReadError` or `StandardStreams.WriteError`.
    mutating func run() throws {
        while let line = try nextLine() {
            let verdict: BatchVerdict
            switch line {
            case .bytes(let bytes) where bytes.allSatisfy(Self.isBlank): continue
            case .bytes(let bytes): verdict = evaluate(bytes)
            case .tooLong:
                verdict = BatchVerdict(id: nil, .tooLong(limit: LineReader.maximumLength))
            }
            output.append(contentsOf: verdict.json.utf8)
            output.append(UInt8(ascii: "\n"))
            if output.count >= Self.outputBuffer { try Self.write(&output) }
        }
        try Self.write(&output)
    }

    /// A program that writes one case and waits for its verdict gets it: no output stays in a buffer during the wait
    /// for the next line.
    private mutating func nextLine() throws -> LineReader.Line? {
        var waiting = Data()
        swap(&waiting, &output)
        defer { swap(&waiting, &output) }
        return try reader.next { try Self.write(&waiting) }
    }

    private mutating func evaluate(_ line: [UInt8]) -> BatchVerdict {
        var id: BatchVerdict.ID?
        do throws(Malformed) {
            var fields = try Self.fields(line)
            id = try fields.take("id").map { element throws(Malformed) in try BatchVerdict.ID(element) }
            return BatchVerdict(id: id, try BatchCase(fields, cache: &cache).evaluate())
        } catch {
            return BatchVerdict(id: id, error)
        }
    }

    private static func fields(_ line: [UInt8]) throws(Malformed) -> JSONFields {
        do throws(PolicyFileError) { return try JSONFields(reading: line) } catch { throw Malformed(error) }
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0d }

    private static func write(_ data: inout Data) throws(StandardStreams.WriteError) {
        guard !data.isEmpty else { return }
        try StandardStreams.write(data)
        data.removeAll(keepingCapacity: true)
    }
}

/// One line of a batch: `{"id", "host", "chain": [PEM, leaf first], "anchors": [PEM], "at": RFC 3339, "policy": {…}}`.
///
/// Without a host no name is checked; without anchors the system's are used; without a time it is now; and without a
/// policy it is the default evaluation. Other members are ignored: they may be notes about the case.
struct BatchCase {
    let host: String?
    let trust: ServerTrust
    let rule: TrustRule

    init(_ fields: JSONFields, cache: inout CertificateCache) throws(Malformed) {
        var fields = fields
        do throws(PolicyFileError) {
            host = try fields.take("host")?.string()
            let moment = try fields.take("at").map { element throws(PolicyFileError) in try Self.moment(element) }
            let policy = try fields.take("policy").map { element throws(PolicyFileError) in try Self.rule(element) }
            rule = policy?.rule ?? .policy(.performDefaultEvaluation(validateHost: true))
            let chain = try cache.certificates(try fields.require("chain"))
            let anchors = try fields.take("anchors").map { element throws(PolicyFileError) in
                try cache.anchors(element)
            }
            var trust = ServerTrust(
                sentChain: chain, anchors: anchors ?? .system, time: moment?.seconds,
                profile: policy?.profile ?? .standard, maximumPathDepth: policy?.maximumPathDepth)
            trust.isBetweenSeconds = moment?.hasFraction ?? trust.isBetweenSeconds
            self.trust = trust
        } catch {
            throw Malformed(error)
        }
    }

    func evaluate() -> ServerTrustResult { rule.evaluate(trust, host: host) }

    private static func moment(
        _ element: JSONElement
    ) throws(PolicyFileError) -> (seconds: Int64, hasFraction: Bool) {
        let text = try element.string()
        guard let moment = Timestamp.moment(rfc3339: text) else { throw element.error(.invalidMoment(text)) }
        return moment
    }

    /// A policy file, which has pin sets, or a single rule; either may name the profile, and limit the depth, of its
    /// chains.
    private static func rule(
        _ element: JSONElement
    ) throws(PolicyFileError) -> (rule: TrustRule, profile: TrustProfile?, maximumPathDepth: Int?) {
        var fields = try JSONFields(element)
        if fields.contains("pinSets") || fields.contains("rules") {
            return (.manager(try PolicyFile(fields: fields).manager()), nil, nil)
        }
        let profile: TrustProfile? = try fields.take("profile")?.word()
        let depth = try fields.pathDepth()
        return (.policy(try ServerTrustPolicy(fields: fields)), profile, depth)
    }
}

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

/// A case that cannot be evaluated. An unreadable case is refused.
struct Malformed: Error {
    /// A stable word, as `reason` in the output.
    let reason: String
    let detail: String

    init(_ error: PolicyFileError) {
        reason =
            switch error.reason {
            case .invalidCertificate: "malformed-certificate"
            case _ where error.field.hasPrefix("policy"): "malformed-policy"
            default: "malformed-case"
            }
        // The text is one line, so only the field is reported.
        detail = error.field.isEmpty ? "\(error.reason)" : "\(error.field): \(error.reason)"
    }

    /// A line of more bytes than `limit`.
    static func tooLong(limit: Int) -> Malformed {
        Malformed(reason: "line-too-long", detail: "the line is longer than \(limit) bytes")
    }

    private init(reason: String, detail: String) {
        self.reason = reason
        self.detail = detail
    }

    init(detail: String) {
        reason = "malformed-case"
        self.detail = detail
    }
}
