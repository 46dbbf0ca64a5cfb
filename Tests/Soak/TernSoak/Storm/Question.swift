// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernEngine

/// A request and its expected response.
struct Question: Sendable {
    let behaviour: String
    let method: String
    /// Unlike that of any other request of the run.
    let nonce: UInt64
    let size: Int
    let body: [UInt8]
    let base: String

    /// Where the bytes of the answer begin: it depends on every byte of the question. Computed once, because it is
    /// needed for each chunk of an answer, on the reactor.
    let seed: UInt64

    init(behaviour: String, method: String, nonce: UInt64, size: Int, body: [UInt8], base: String) {
        self.behaviour = behaviour
        self.method = method
        self.nonce = nonce
        self.size = size
        self.body = body
        self.base = base
        seed = body.isEmpty ? nonce : nonce ^ Pattern.digest(body)
    }

    var path: String { "\(base)/\(behaviour)/\(String(nonce, radix: 16))/\(size)" }

    func request() throws -> TernEngine.URLRequest {
        var request = try Self.request(path)
        request.httpMethod = method
        if !body.isEmpty { request.httpBody = Data(body) }
        return request
    }

    static func request(_ text: String) throws -> TernEngine.URLRequest {
        guard let url = URL(string: text) else { throw CocoaError(.coderInvalidValue) }
        return TernEngine.URLRequest(url: url)
    }
}

extension Question: CustomStringConvertible {
    var description: String { "\(method) \(path)\(body.isEmpty ? "" : " with \(body.count) bytes")" }
}
