// SPDX-License-Identifier: Apache-2.0
import Dispatch
import FoundationEssentials
import TernTLS

extension RevocationQuestion {
    /// The maximum length of one answer, in bytes.
    static let maximumResponseSize = 64 * 1024
    static let maximumListSize = 8 * 1024 * 1024

    var sizeLimit: Int {
        switch self {
        case .ocsp: Self.maximumResponseSize
        case .list: Self.maximumListSize
        }
    }

    func request(to url: URL) -> URLRequest {
        var request = URLRequest(url: url)
        if case .ocsp(_, let body) = self {
            request.httpMethod = "POST"
            request.httpBody = Data(body)
            request.setValue("application/ocsp-request", forHTTPHeaderField: "Content-Type")
            // A POST on a kept connection that the responder is just closing would be lost, and never sent again.
            request.setValue("close", forHTTPHeaderField: "Connection")
        }
        return request
    }

    /// Converts a response to an answer. Calls `completion` once, now or later, on any thread.
    func read(_ reply: SideResponse?, completion: @escaping @Sendable (RevocationAnswer) -> Void) {
        guard let reply, reply.statusCode == 200 else { return completion(.none) }
        switch self {
        case .ocsp: completion(.response(OCSPResponse(der: Array(reply.body))))
        case .list:
            // Reading a long list takes longer than a reactor can afford.
            DispatchQueue.global(qos: .userInitiated).async {
                let list = try? CertificateRevocationList(der: Array(reply.body))
                completion(list.map(RevocationAnswer.list) ?? .none)
            }
        }
    }
}
