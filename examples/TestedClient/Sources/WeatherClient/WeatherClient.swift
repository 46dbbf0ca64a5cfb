import Foundation
public import TernEngine

/// Asks a weather service for temperatures.
public struct WeatherClient: Sendable {
    /// What the service answers instead of a temperature.
    public struct UnknownPlace: Error {}

    private struct Report: Decodable {
        let celsius: Double
    }

    private let session: Session
    private let server: String

    /// A client of the service at `server`, such as `https://weather.example.com`.
    public init(server: String, session: Session = Session()) {
        self.server = server
        self.session = session
    }

    /// Returns the temperature at a place, in degrees Celsius.
    public func temperature(at place: String) async throws -> Double {
        let (data, response) = try await session.data(for: URLRequest(string: "\(server)/temperature/\(place)"))
        if response.statusCode == 404 { throw UnknownPlace() }
        try response.requireSuccess(data)
        return try data.decoded(as: Report.self).celsius
    }
}
