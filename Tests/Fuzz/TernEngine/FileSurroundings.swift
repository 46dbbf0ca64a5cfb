// SPDX-License-Identifier: Apache-2.0
// What the texts of files need of other modules. The heads of responses have a target of their own.

package struct ResponseHead: Sendable {
    struct Refusal: Error {}

    let encoded: [UInt8]

    init(encoded bytes: [UInt8]) throws(Refusal) {
        guard bytes.first != 0x21 else { throw Refusal() }
        encoded = bytes
    }

    func contains(_ name: String) -> Bool { false }

    func bytes(for name: String) -> [[UInt8]] { [] }

    func values(for name: String) -> [String] { [] }

    func readList(_ name: String, _ rules: ListRules, _ body: (Span<UInt8>) -> Void) -> Bool { true }
}

struct HeaderFields: Sequence {
    struct Field {
        let name: String
        let bytes: [UInt8]
    }

    private let fields: [Field] = []

    func makeIterator() -> IndexingIterator<[Field]> { fields.makeIterator() }

    func contains(_ name: String) -> Bool { fields.contains { $0.name == name } }
}

enum CacheRule {
    static func lifetime(of head: ResponseHead, _ control: CacheControl, date: Int64) -> Int64 { 0 }
}

/// Differs for other parts, as far as a fuzzer finds out.
enum CacheScope {
    static func digest(of parts: [[UInt8]]) -> String {
        let sum = CacheRecords.checksum(parts.flatMap { $0 + [0] }[...])
        return String(decoding: sum + sum, as: UTF8.self).lowercased()
    }
}

struct IPAddress {
    init?(literal: String) {
        guard literal.utf8.contains(UInt8(ascii: ":")) || literal.utf8.allSatisfy({ $0 < 0x3A }) else { return nil }
    }
}

public struct SystemCallError: Error, Hashable, Sendable {}

enum FileContent {
    static func readWithAccess(
        _ path: String, limit: Int
    ) throws(SystemCallError) -> (bytes: [UInt8], permissions: UInt32, owner: UInt32)? { nil }
}

struct Hop {
    struct Request {
        let host: String?
        let credential: PasswordCredential?
        let urlCredential: PasswordCredential?
    }

    let request: Request
    let mayCarryCredentials: Bool
}
