// SPDX-License-Identifier: Apache-2.0
public import FoundationEssentials
import TernHTTP1
import TernTLS

/// Signs requests to Amazon Web Services, and to stores that follow S3: AWS Signature Version 4.
///
/// `Host` and the request's own fields are signed, but for those that intermediaries change. Content in memory is hashed
/// each time that it is sent, on the reactor's thread. Other content has a hash that the program sets as
/// `X-Amz-Content-Sha256`; without one S3 gets it unsigned over https (`UNSIGNED-PAYLOAD`), and other requests fail.
public struct AWSSigner: RequestSigner {
    /// Names the key; not secret.
    public let accessKeyID: String
    private let secretAccessKey: String
    private let sessionToken: String?
    /// Such as `eu-central-1`.
    public let region: String
    /// Such as `s3` or `execute-api`.
    public let service: String
    /// Whether a request has the field `X-Amz-Content-Sha256`, which S3 requires: by default where the service is S3.
    public var sendsContentHash: Bool
    /// Whether the path is signed without empty segments and with its escapes escaped again, as all services but S3 do by
    /// default. It is sent as it is.
    public var normalizesPath: Bool

    /// Creates a signer with a key.
    ///
    /// - Parameters:
    ///   - accessKeyID: names the key.
    ///   - secretAccessKey: the key.
    ///   - sessionToken: of a key for some time, which is sent with each request.
    ///   - region: of the service.
    ///   - service: as it is called in signatures.
    public init(
        accessKeyID: String, secretAccessKey: String, sessionToken: String? = nil, region: String, service: String
    ) {
        (self.accessKeyID, self.secretAccessKey, self.sessionToken) = (accessKeyID, secretAccessKey, sessionToken)
        (self.region, self.service) = (region, service)
        let isS3 = ["s3", "s3-object-lambda", "s3-outposts", "s3express"].contains(service)
        (sendsContentHash, normalizesPath) = (isS3, !isS3)
    }

    /// ``accessKeyID``
    public var credentialIdentity: String? { accessKeyID }

    /// Signs with the present time.
    public func sign(_ request: inout URLRequest) throws(SigningError) { try sign(&request, at: Date()) }

    /// Signs with this time, in place of an earlier signature.
    public func sign(_ request: inout URLRequest, at date: Date) throws(SigningError) {
        let time = try SigningTime(date)
        let hash = try contentHash(of: request)
        request.headers.removeAll(named: "Authorization")
        request.headers.replace(with: HeaderField(name: "X-Amz-Date", value: time.text))
        if let sessionToken {
            request.headers.replace(with: HeaderField(name: "X-Amz-Security-Token", value: sessionToken))
        }
        if sendsContentHash { request.headers.replace(with: HeaderField(name: "X-Amz-Content-Sha256", value: hash)) }
        let canonical = try CanonicalRequest(request, normalizesPath: normalizesPath)
        let signature = try signature(of: canonical.bytes(contentHash: hash), time)
        request.headers.append(
            "Authorization",
            "AWS4-HMAC-SHA256 Credential=\(accessKeyID)/\(scope(time)), SignedHeaders=\(canonical.names), "
                + "Signature=\(signature)")
    }

    /// Returns a URL that has the signature in its query: who knows it may send the request, with its method and its
    /// fields, until it expires. S3 gets the content unsigned.
    ///
    /// - Parameters:
    ///   - request: the method, the URL, and the fields that have to be sent with it.
    ///   - seconds: for how long; S3 allows at most a week.
    ///   - date: the beginning of that time.
    public func presignedURL(
        for request: URLRequest, expiresAfter seconds: Int, at date: Date = Date()
    ) throws(SigningError) -> URL {
        let time = try SigningTime(date)
        let fields = try CanonicalRequest(request, normalizesPath: normalizesPath)
        var items = [
            ("Algorithm", "AWS4-HMAC-SHA256"), ("Credential", "\(accessKeyID)/\(scope(time))"), ("Date", time.text),
            ("Expires", "\(seconds)"), ("SignedHeaders", fields.names),
        ]
        if let sessionToken { items.append(("Security-Token", sessionToken)) }
        var reference = URIReference(URLRequest.withoutCredential(request.url?.absoluteString ?? ""))
        let query = items.map { "X-Amz-\($0.0)=\(PercentEncoding.component($0.1.utf8))" }.joined(separator: "&")
        reference.query = [reference.query, query].compactMap(\.self).joined(separator: "&")
        reference.fragment = nil
        var presigned = request
        presigned.url = URL(string: reference.description, encodingInvalidCharacters: false)
        let isUnsigned = sendsContentHash && !request.headers.contains("X-Amz-Content-Sha256")
        let hash = isUnsigned ? Self.unsignedContent : try contentHash(of: request)
        let canonical = try CanonicalRequest(presigned, normalizesPath: normalizesPath)
        reference.query? += "&X-Amz-Signature=\(try signature(of: canonical.bytes(contentHash: hash), time))"
        guard let url = URL(string: reference.description, encodingInvalidCharacters: false) else {
            throw .invalidRequest(.missingURL)
        }
        return url
    }

    private static let unsignedContent = "UNSIGNED-PAYLOAD"

    private func contentHash(of request: URLRequest) throws(SigningError) -> String {
        if let own = request.headers["X-Amz-Content-Sha256"] { return own }
        if let hash = try request.contentHash() { return hash.map(hexadecimal).joined() }
        guard sendsContentHash, request.requestedOrigin?.scheme == .https else { throw .contentNotInMemory }
        return Self.unsignedContent
    }

    private func scope(_ time: SigningTime) -> String { "\(time.day)/\(region)/\(service)/aws4_request" }

    private func signature(of request: [UInt8], _ time: SigningTime) throws(SigningError) -> String {
        guard let hash = MessageDigest.hash(request, by: .sha256) else { throw .keyFailed }
        let message = "AWS4-HMAC-SHA256\n\(time.text)\n\(scope(time))\n\(hash.map(hexadecimal).joined())"
        var key = Array("AWS4\(secretAccessKey)".utf8)
        // The key for the day, the region, the service and the version; then the message.
        for part in [time.day, region, service, "aws4_request", message] {
            guard let code = MessageDigest.hmacSHA256(Array(part.utf8), key: key) else { throw .keyFailed }
            key = code
        }
        return key.map(hexadecimal).joined()
    }
}

extension AWSSigner: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Without the key and the token.
    public var description: String { "key \(accessKeyID) for \(service) in \(region)" }

    /// The same.
    public var debugDescription: String { description }

    /// A dump shows the same.
    public var customMirror: Mirror { Mirror(self, children: ["signer": description]) }
}

/// A time as signatures have it.
private struct SigningTime {
    /// `20150830`
    let day: String
    /// `20150830T123600Z`
    let text: String

    init(_ date: Date) throws(SigningError) {
        guard let seconds = Int64(exactly: date.timeIntervalSince1970.rounded(.down)),
            let parts = HTTPDate.Parts(seconds: seconds)
        else { throw .invalidParameter("time") }
        let two = { (number: Int64) in (number < 10 ? "0" : "") + String(number) }
        day = "\(parts.year)\(two(parts.month))\(two(parts.day))"
        text = "\(day)T\(two(parts.hour))\(two(parts.minute))\(two(parts.second))Z"
    }
}

/// The parts of a request that are signed, in the form in which they are.
private struct CanonicalRequest {
    /// Fields that intermediaries change, and the signature itself.
    private static let unsigned: Set = [
        "authorization", "connection", "expect", "keep-alive", "proxy-authorization", "proxy-connection", "te",
        "trailer", "transfer-encoding", "upgrade", "user-agent", "x-amzn-trace-id",
    ]

    private let method: String
    private let path: String
    private let query: String
    private let fields: [(name: String, value: [UInt8])]

    init(_ request: URLRequest, normalizesPath: Bool) throws(SigningError) {
        method = request.method
        let (host, target) = try request.signedPlace()
        path = Self.path(target.prefix { $0 != "?" }, isNormalized: normalizesPath)
        query = Self.query(target.drop { $0 != "?" }.dropFirst())
        var values = ["host": [Array(host.utf8)]]
        for field in request.headers {
            let name = field.name.lowercased()
            if name == "host" || Self.unsigned.contains(name) { continue }
            values[name, default: []].append(Self.trimmed(field.bytes))
        }
        fields = values.sorted { $0.key < $1.key }.map { name, values in
            (name, Array(values.joined(separator: [UInt8(ascii: ",")])))
        }
    }

    /// The names of the signed fields.
    var names: String { fields.map(\.name).joined(separator: ";") }

    func bytes(contentHash: String) -> [UInt8] {
        var bytes = Array("\(method)\n\(path)\n\(query)\n".utf8)
        for field in fields { bytes += Array("\(field.name):".utf8) + field.value + [UInt8(ascii: "\n")] }
        return bytes + Array("\n\(names)\n\(contentHash)".utf8)
    }

    private static func path(_ path: Substring, isNormalized: Bool) -> String {
        let segments = path.split(separator: "/", omittingEmptySubsequences: isNormalized).map { segment in
            let bytes = Array(segment.utf8)
            return PercentEncoding.component(isNormalized ? bytes : PercentEncoding.leniently(bytes[...]))
        }
        let text = segments.joined(separator: "/")
        if !isNormalized { return text }
        return "/" + text + (path.hasSuffix("/") && !segments.isEmpty ? "/" : "")
    }

    /// Sorted by name, and then by value. A plus sign is a space.
    private static func query(_ query: Substring) -> String {
        let items = query.split(separator: "&").map { item in
            let name = item.prefix { $0 != "=" }
            return (encoded(name), encoded(item[name.endIndex...].dropFirst()))
        }
        return items.sorted { $0 < $1 }.map { "\($0.0)=\($0.1)" }.joined(separator: "&")
    }

    private static func encoded(_ text: Substring) -> String {
        let bytes = text.utf8.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }
        return PercentEncoding.component(PercentEncoding.leniently(bytes[...]))
    }

    /// Without spaces at the ends, and with one for several.
    private static func trimmed(_ value: [UInt8]) -> [UInt8] {
        Array(value.split(separator: UInt8(ascii: " ")).joined(separator: [UInt8(ascii: " ")]))
    }
}

extension URLRequest {
    /// The host as it is sent, and the target as the origin gets it.
    func signedPlace() throws(SigningError) -> (host: String, target: String) {
        do throws(InvalidRequest) {
            let destination = try destination.get()
            return (headers["Host"] ?? destination.origin.hostField, destination.originForm.text)
        } catch {
            throw .invalidRequest(error)
        }
    }

    /// The SHA-256 of the content, or of no bytes without; nil for content that is not in memory.
    func contentHash() throws(SigningError) -> [UInt8]? {
        var digest = MessageDigest(.sha256)
        switch body {
        case nil: break
        case .data(let data): unsafe data.withUnsafeBytes { unsafe digest.update($0) }
        case .file, .stream, .once: return nil
        }
        guard let hash = digest.finish() else { throw .keyFailed }
        return hash
    }
}
