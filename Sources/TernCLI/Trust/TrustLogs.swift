// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernEngine
import TernFiles
import TernSystem
import TernTLS

/// `tern trust logs update`: fetches a signed list of certificate logs, for cron.
struct TrustLogsCommand: ToolCommand {
    static var table: OptionTable<Self> {
        OptionTable(
            .operand("action", help: "What to do: update.") { $0.action = $1.text },
            .operand("file", help: "The list, which is replaced in one step, or made.") { $0.file = $1.text },
            .value("--key", as: "file", help: "The public key that the list must be signed with, in PEM or DER.") {
                $0.key = $1.text
            },
            .value("--url", as: "url", help: "Where the list is; by default Chrome's.") { $0.url = $1.text },
            .value(
                "--signature-url", as: "url",
                help: "Where its signature is; by default beside the list, with .sig in place of .json."
            ) { $0.signatureURL = $1.text },
            .value("--signature", as: "file", help: "Keep the signature in this file, too.") {
                $0.signature = $1.text
            },
            .value(
                "--anchors", "--cacert", as: "file",
                help: "A PEM file with the only certificates to trust; without it, the system's."
            ) { $0.anchors = $1.text },
            .group(\.routes))
    }

    static let name = "logs"
    static let abstract = "Keep a list of certificate logs current, by a list that is signed and not older."
    static let discussion = """
        "update" fetches the list and its signature, and replaces the file. The list is that of --ct, of TransparencyLogList(contentsOf:) and of TrustFiles, which give it to running programs. \
        Chrome's key is published as log_list_pubkey.pem beside the list: get it once, and check it.

        Exits 0 if the file has the current list, whether it was replaced or not; 1, with the reason, if it stays as it was; \
        2 for wrong usage.
        """
    static let examples = ["update /etc/app/log_list.json --key log_list_pubkey.pem"]

    private static let maximumSize = 16 * 1024 * 1024

    var action = ""
    var file = ""
    var key: String?
    var url = "https://www.gstatic.com/ct/log_list/v3/log_list.json"
    var signatureURL: String?
    var signature: String?
    var anchors: String?
    var routes = RouteOptions()

    private var urlOfSignature: String {
        signatureURL ?? (url.hasSuffix(".json") ? String(url.dropLast(5)) : url) + ".sig"
    }

    func validate() throws {
        guard action == "update" else { throw UsageError("\"\(action)\": give update, and the file of the list") }
        if key == nil { throw UsageError("give --key: a list counts only with its signature") }
        _ = try (RequestedURL(url), RequestedURL(urlOfSignature))
    }

    func run() async throws {
        let key = try TrustQuestion.contents(of: key ?? "", "--key")
        if (try? X509Certificate.PublicKey(publicKeyFile: [UInt8](key))) == nil {
            throw UsageError("--key: \(self.key ?? ""): not a public key in PEM or DER")
        }
        var configuration = try LiveServer.configuration(CertificateFile.anchors(anchors), routes)
        configuration.maximumCollectedBodySize = Self.maximumSize
        let session = Session(configuration: configuration)
        let bytes = try await fetch(url, session)
        let signature = try await fetch(urlOfSignature, session)
        let list = try Self.failing(url) { () throws(PolicyFileError) in
            try TransparencyLogList(json: bytes, signature: signature, publicKey: [UInt8](key))
        }
        guard let time = list.time else { throw failure("\(url): the list does not say when it was made") }
        if let known = try known(), let before = known.time, before >= time {
            guard before == time else {
                throw failure(
                    "\(url): the list is of \(Timestamp.rfc3339(time)), that in \(file) of \(Timestamp.rfc3339(before))"
                )
            }
            return try StandardStreams.print("\(file): is current, of \(Timestamp.rfc3339(time))")
        }
        for reason in list.skipped { StandardStreams.tell("tern: warning: skipped: \(reason)") }
        // First, because the list means nothing without it.
        if let path = self.signature { try replace(path, by: signature) }
        try replace(file, by: bytes)
        try StandardStreams.print("\(file): \(list.logs.count) logs, of \(Timestamp.rfc3339(time))")
    }

    /// The list in the file; nil if there is no file.
    private func known() throws -> TransparencyLogList? {
        let bytes: [UInt8]?
        do throws(SystemCallError) {
            bytes = try FileContent.read(file, limit: Self.maximumSize)
        } catch {
            throw failure("\(file): \(error)")
        }
        return try bytes.map { bytes in
            try Self.failing(file) { () throws(PolicyFileError) in try TransparencyLogList(json: bytes) }
        }
    }

    private func fetch(_ text: String, _ session: Session) async throws -> [UInt8] {
        let request = try RequestedURL(text).request
        let answer: (data: Data, response: HTTPURLResponse)
        do throws(SessionError) {
            answer = try await session.data(for: request)
        } catch {
            throw failure("\(text): \(error)")
        }
        guard answer.response.statusCode == 200 else {
            throw failure("\(text): the status is \(answer.response.statusCode), not 200")
        }
        return [UInt8](answer.data)
    }

    private func replace(_ path: String, by bytes: [UInt8]) throws {
        let target = FilePath.followingLinks(from: path)
        let temporary = FilePath.temporary(beside: target)
        do throws(SystemCallError) {
            let file = try FileReplacement(of: target, path: temporary, fallbackPath: temporary)
            let written = unsafe bytes.withUnsafeBytes { bytes in
                Result { () throws(SystemCallError) in try unsafe file.write(bytes) }
            }
            try written.get()
            try file.commit()
        } catch {
            throw failure("\(path): \(error)")
        }
    }

    private static func failing<Value>(
        _ place: String, _ read: () throws(PolicyFileError) -> Value
    ) throws -> Value {
        do throws(PolicyFileError) {
            return try read()
        } catch {
            StandardStreams.tell("tern: \(place): \(error)")
            throw ExitCode(1)
        }
    }

    private func failure(_ reason: String) -> ExitCode {
        StandardStreams.tell("tern: \(reason)")
        return ExitCode(1)
    }
}
