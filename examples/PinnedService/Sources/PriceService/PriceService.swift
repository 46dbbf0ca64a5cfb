public import Foundation
import TernEngine

/// Asks another service for prices, over TLS with an authority of the company, under the pins of a policy file. All of
/// it is in files that are renewed while the service runs.
public struct PriceService: Sendable {
    /// What the other service answers.
    public struct Price: Codable, Sendable, Equatable {
        /// The name of the goods.
        public let name: String
        /// In cents.
        public let cents: Int

        /// A price of goods.
        public init(name: String, cents: Int) { (self.name, self.cents) = (name, cents) }
    }

    private let session: Session
    private let server: String

    /// - Parameters:
    ///   - server: such as `https://prices.internal:8443`.
    ///   - anchors: certificates of authorities in PEM.
    ///   - policy: a policy file.
    ///   - log: is told when a file was taken over or refused, and when a certificate expires soon.
    public init(
        server: String, anchors: URL, policy: URL, log: @escaping @Sendable (String) -> Void
    ) throws {
        self.server = server
        var paths = TrustFilePaths()
        paths.anchors = .only(anchors)
        paths.policy = policy
        var configuration = SessionConfiguration.default
        configuration.retryPolicy = .standard
        configuration.timeouts = Timeouts(connect: .seconds(2), total: .seconds(10))
        configuration.trustFiles = try TrustFiles(paths) { event in
            switch event {
            case .replaced(let parts): log("renewed: \(parts)")
            case .refused(let error): log("not renewed: \(error)")
            case .expires(let expiry): log("renew soon: \(expiry.certificate.subject), \(expiry.date)")
            case .outdated, .skipped, .unwatched: log("\(event)")
            }
        }
        session = Session(configuration: configuration)
    }

    /// The price of the goods of this name.
    public func price(of name: String) async throws -> Price {
        try await session.decoded(for: URLRequest(string: "\(server)/prices/\(name)"))
    }
}
