// SPDX-License-Identifier: Apache-2.0
public import FoundationEssentials
import TernHTTP1
public import TernTLS

/// Signs requests with HTTP Message Signatures (RFC 9421), in the fields `Signature-Input` and `Signature`.
///
/// A covered `content-digest` is set for content in memory (RFC 9530 §2, SHA-256) where the request has none: the content
/// is hashed each time that it is sent, on the reactor's thread, which also makes the signature.
public struct HTTPMessageSigner: RequestSigner {
    /// The key, and the algorithm that it signs with.
    public var key: MessageSigningKey
    /// What is covered, in this order: names of the request's own fields, `host` and `content-length`, and of the derived
    /// components `@method`, `@target-uri`, `@authority`, `@scheme`, `@request-target`, `@path` and `@query` (RFC 9421
    /// §2.2).
    public var components: [String]
    /// Tells signatures of one message apart (RFC 9421 §4). Signatures with other labels stay.
    public var label = "sig1"
    /// The parameter `keyid`; nil for none.
    public var keyID: String?
    /// Whether there is a parameter `created`.
    public var includesCreationTime = true
    /// After how many seconds the signature expires, in the parameter `expires`; nil for none.
    public var lifetime: Int?
    /// Whether there is a parameter `alg`. Off by default: a server knows the algorithm of each key.
    public var includesAlgorithm = false
    /// Makes the parameter `nonce` of each signature; nil for none.
    public var nonce: (@Sendable () -> String)?
    /// The parameter `tag`, which names the application; nil for none.
    public var tag: String?

    /// Creates a signer.
    ///
    /// - Parameters:
    ///   - key: the key.
    ///   - keyID: the name by which the server knows it.
    ///   - components: what is covered, at least the method, the authority, the path and the query if a server is to
    ///     trust them.
    public init(key: MessageSigningKey, keyID: String? = nil, covering components: [String]) {
        (self.key, self.keyID, self.components) = (key, keyID, components)
    }

    /// ``keyID``
    public var credentialIdentity: String? { keyID }

    /// Signs with the present time.
    public func sign(_ request: inout URLRequest) throws(SigningError) { try sign(&request, at: Date()) }

    /// Signs with this time, in place of an earlier signature with the same label.
    public func sign(_ request: inout URLRequest, at date: Date) throws(SigningError) {
        let names = components.map { $0.lowercased() }
        if names.contains("content-digest"), !request.headers.contains("Content-Digest") {
            guard let hash = try request.contentHash() else { throw .contentNotInMemory }
            request.headers.append("Content-Digest", "sha-256=:\(Data(hash).base64EncodedString()):")
        }
        let input = try input(names, at: date)
        var base: [UInt8] = []
        for (index, name) in names.enumerated() {
            if names[..<index].contains(name) { throw .repeatedComponent(name) }
            base += Array("\"\(name)\": ".utf8) + (try request.value(ofComponent: name)) + [UInt8(ascii: "\n")]
        }
        guard let signature = key.signature(of: base + Array("\"@signature-params\": \(input)".utf8)) else {
            throw .keyFailed
        }
        request.replaceMember(of: "Signature-Input", label, input)
        request.replaceMember(of: "Signature", label, ":\(Data(signature).base64EncodedString()):")
    }

    /// The covered components, and the parameters (RFC 9421 §2.3).
    private func input(_ names: [String], at date: Date) throws(SigningError) -> String {
        guard label.isDictionaryKey else { throw .invalidParameter("label") }
        guard let created = Int64(exactly: date.timeIntervalSince1970.rounded(.down)) else {
            throw .invalidParameter("created")
        }
        var input = "(" + names.map { "\"\($0)\"" }.joined(separator: " ") + ")"
        if includesCreationTime { input += ";created=\(created)" }
        if let lifetime { input += ";expires=\(created.addingReportingOverflow(Int64(lifetime)).partialValue)" }
        let texts = [
            ("keyid", keyID), ("alg", includesAlgorithm ? key.algorithm.rawValue : nil), ("nonce", nonce?()),
            ("tag", tag),
        ]
        for case (let name, let text?) in texts {
            guard let quoted = text.quoted else { throw .invalidParameter(name) }
            input += ";\(name)=\(quoted)"
        }
        return input
    }
}

extension HTTPMessageSigner: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Without the key.
    public var description: String { "\(label) with \(key), covering \(components.joined(separator: " "))" }

    /// The same.
    public var debugDescription: String { description }

    /// A dump shows the same.
    public var customMirror: Mirror { Mirror(self, children: ["signer": description]) }
}

extension URLRequest {
    /// The value of a component in the signature base (RFC 9421 §2.1, §2.2).
    fileprivate func value(ofComponent name: String) throws(SigningError) -> [UInt8] {
        if name.hasPrefix("@") { return Array(try derivedValue(name).utf8) }
        let values = headers.filter { $0.name.lowercased() == name }.map { $0.bytes.trimmed }
        if !values.isEmpty { return Array(values.joined(separator: Array(", ".utf8))) }
        // Those that every request gets.
        if name == "host" { return Array(try signedPlace().host.utf8) }
        if name == "content-length", let length = announcedContentLength { return Array("\(length)".utf8) }
        throw .missingField(name)
    }

    private func derivedValue(_ name: String) throws(SigningError) -> String {
        let (host, target) = try signedPlace()
        let scheme = requestedOrigin?.scheme == .https ? "https" : "http"
        // The target `*` is a URL without a path (RFC 9112 §3.3).
        let place = target == "*" ? "" : target
        let path = place.prefix { $0 != "?" }
        switch name {
        case "@method": return method
        case "@target-uri": return "\(scheme)://\(host.lowercased())\(place)"
        case "@authority": return host.lowercased()
        case "@scheme": return scheme
        case "@request-target": return target
        case "@path": return path.isEmpty ? "/" : String(path)
        case "@query": return "?" + place[path.endIndex...].dropFirst()
        default: throw .unknownComponent(name)
        }
    }

    /// A field for this member of a dictionary, in place of one that has it alone. Fields of one name are one dictionary
    /// (RFC 9651 §3.2).
    fileprivate mutating func replaceMember(of name: String, _ key: String, _ value: String) {
        let isOld = { (field: HeaderField) in
            field.name.lowercased() == name.lowercased() && field.value.hasPrefix("\(key)=")
        }
        if headers.contains(where: isOld) { headers = HeaderFields(headers.filter { !isOld($0) }) }
        headers.append(name, "\(key)=\(value)")
    }
}

extension [UInt8] {
    /// Without white space at its ends.
    fileprivate var trimmed: [UInt8] {
        let isBlank = { (byte: UInt8) in byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
        let rest = drop(while: isBlank)
        return rest.lastIndex { !isBlank($0) }.map { Array(rest[...$0]) } ?? []
    }
}

extension String {
    /// A string of RFC 9651 §3.3.3; nil if it has other characters than visible ASCII and spaces.
    fileprivate var quoted: String? {
        guard utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else { return nil }
        return "\"" + flatMap { $0 == "\"" || $0 == "\\" ? "\\\($0)" : "\($0)" } + "\""
    }

    /// RFC 9651 §3.1.2.
    fileprivate var isDictionaryKey: Bool {
        guard let first = utf8.first, first == UInt8(ascii: "*") || (0x61...0x7A).contains(first) else { return false }
        return utf8.allSatisfy { byte in
            (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || "_-.*".utf8.contains(byte)
        }
    }
}
