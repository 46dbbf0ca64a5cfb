import Foundation
import PriceService
import TernTesting
import Testing

/// The origin is the other service. Its certificate is from a throw-away authority, which a file in the folder names.
final class PriceServiceTests: Sendable {
    private let authority: CertificateAuthority
    private let origin: ScriptedOrigin
    private let pin: String
    private let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)

    init() throws {
        authority = try CertificateAuthority()
        let identity = try authority.issue()
        pin = identity.pin
        origin = try ScriptedOrigin(tls: identity) { _, request in
            [request.target == "/prices/tea" ? .ok(#"{"name": "tea", "cents": 350}"#) : .respond(status: 404)]
        }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data(authority.certificatePEM.utf8).write(to: folder.appending(path: "ca.pem"))
        try writePolicy(pinning: pin)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    private func writePolicy(pinning pin: String) throws {
        let policy = #"{"pinSets": [{"hosts": ["localhost"], "pins": ["\#(pin)"], "backupPins": []}]}"#
        try Data(policy.utf8).write(to: folder.appending(path: "policy.json"), options: .atomic)
    }

    private func service(_ log: @escaping @Sendable (String) -> Void) throws -> PriceService {
        try PriceService(
            server: "https://localhost:\(origin.port)", anchors: folder.appending(path: "ca.pem"),
            policy: folder.appending(path: "policy.json"), log: log)
    }

    @Test func `a price comes over a pinned connection, and missing goods are an error`() async throws {
        let service = try service { _ in }
        #expect(try await service.price(of: "tea") == PriceService.Price(name: "tea", cents: 350))
        await #expect(throws: (any Error).self) { try await service.price(of: "coffee") }
    }

    @Test func `a policy that is renewed counts from the next request on`() async throws {
        let (renewals, renewed) = AsyncStream.makeStream(of: String.self)
        let service = try service { line in if line.hasPrefix("renewed") { renewed.yield(line) } }
        _ = try await service.price(of: "tea")
        try writePolicy(pinning: try CertificateAuthority().pin)
        for await _ in renewals { break }
        await #expect(throws: (any Error).self) { try await service.price(of: "tea") }
        #expect(origin.requests.count == 1)
        try writePolicy(pinning: pin)
        for await _ in renewals { break }
        #expect(try await service.price(of: "tea").cents == 350)
    }

    @Test func `a policy that cannot be read keeps the service from starting`() throws {
        try Data("{".utf8).write(to: folder.appending(path: "policy.json"))
        #expect(throws: (any Error).self) { try service { _ in } }
    }
}
