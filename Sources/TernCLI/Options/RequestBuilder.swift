// SPDX-License-Identifier: Apache-2.0
import TernEngine
import TernFiles

/// Builds the requests of every command, and says which session they need, so that no command accepts an option of
/// requests and ignores it.
struct RequestBuilder {
    /// What its requests need of their session.
    let session: SessionOptions
    /// Whether `-H` asks for a body in chunks, which is then framed by the session.
    let isChunked: Bool

    private let options: FieldOptions
    private let transfer: TransferOptions
    private let timeouts: Timeouts
    private let fields: [HeaderOption]
    private let range: String?
    private let cookies: String?

    /// Reads the files of `-H`.
    ///
    /// - Parameters:
    ///   - range: the argument of `-r`.
    ///   - cookies: the value of `Cookie`, behind those of a storage.
    init(
        _ options: FieldOptions, _ trust: TrustOptions, _ transfer: TransferOptions, hasBody: Bool = false,
        range: String? = nil, cookies: String? = nil
    ) throws {
        (self.options, self.transfer, self.range, self.cookies) = (options, transfer, range, cookies)
        timeouts = try transfer.timeouts()
        let given = try options.given()
        session = SessionOptions(options, given: given, trust, transfer)
        isChunked = hasBody && given.contains(where: \.asksForChunks)
        fields = isChunked ? given.filter { !$0.asksForChunks } : given
        if isChunked, given.contains(where: { $0.name.lowercased() == "content-length" }) {
            throw UsageError(
                "-H \"Transfer-Encoding: chunked\" and -H \"Content-Length\" frame the body in two ways: give one of them"
            )
        }
    }

    /// - Parameters:
    ///   - method: nil for GET.
    ///   - configuration: that of the session which sends it.
    ///   - setBody: adds the body, when the fields of `-H` are there.
    func request(
        for target: RequestedURL, method: String? = nil, in configuration: SessionConfiguration,
        setBody: (inout URLRequest) throws -> Void = { _ in }
    ) throws -> URLRequest {
        var request = target.request
        if let method { request.setMethod(asTyped: method) }
        for field in fields.lazy.compactMap(\.added) { request.headers.append(field) }
        try setBody(&request)
        if let netrc = configuration.netrc { options.credentials.complete(&request, from: netrc) }
        if !gives("authorization") { options.credentials.apply(to: &request) }
        if let cookies { add(cookies, as: "Cookie", to: &request) }
        if let range { add("bytes=\(range)", as: "Range", to: &request) }
        request.decodesContent = options.isCompressed
        request.timeouts = timeouts
        transfer.apply(to: &request)
        if !options.sensitiveFields.isEmpty { request.sensitiveFields = SensitiveFields(options.sensitiveFields) }
        do {
            try request.checkEncodable(configuration)
        } catch {
            throw wrongField(of: target.request, configuration) ?? error
        }
        return request
    }

    /// What is wrong with a field of `-H`.
    private func wrongField(of request: URLRequest, _ configuration: SessionConfiguration) -> UsageError? {
        for field in fields.lazy.compactMap(\.added) {
            var alone = request
            alone.headers.append(field)
            do {
                try alone.checkEncodable(configuration)
            } catch {
                return UsageError("-H: \(error)")
            }
        }
        return nil
    }

    /// Whether `-H` adds or removes the field.
    func gives(_ name: String) -> Bool { fields.contains { $0.name.lowercased() == name } }

    /// As in curl, a field of `-H` takes the place of an option's.
    private func add(_ value: String, as name: String, to request: inout URLRequest) {
        if gives(name.lowercased()) { return }
        request.headers.append(HeaderField(name: name, bytes: ByteText.bytes(of: value)))
    }
}

extension URLRequest {
    /// Input that cannot be sent is wrong usage, and is reported before any request.
    func checkEncodable(_ configuration: SessionConfiguration) throws {
        do throws(InvalidRequest) {
            _ = try encodedHead(configuration)
        } catch {
            throw UsageError("\(error)")
        }
    }
}

/// One URL, ready to be requested.
struct PlannedFetch {
    /// Its position among the requests, from 0.
    let index: Int
    /// The position of the URL that it comes from, which may have patterns.
    let place: Int
    let target: RequestedURL
    let request: URLRequest
    /// The output of the body; nil is standard output.
    let path: String?
    let fileRules: FileRules
    /// The position from which the file is continued; nil for the whole.
    let offset: Int64?
}

/// The argument of `-r`.
enum RangeOption {
    /// As in curl, a number alone is the offset of the first byte: "4" is "4-".
    static func range(_ argument: String) -> String {
        let digits = argument.utf8.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        guard !digits.isEmpty, !argument.utf8.contains(UInt8(ascii: "-")) else { return argument }
        return String(Substring(digits)) + "-"
    }
}
