import Foundation
import TernTesting
import Testing
import Uploader

struct UploaderTests {
    private typealias End = (status: Int?, body: Data, error: (any Error)?)

    private static func upload(_ data: Data, password: String, to origin: ScriptedOrigin) async throws -> (
        End, [Double]
    ) {
        let url = try #require(URL(string: "http://127.0.0.1:\(origin.port)/file"))
        let (steps, step) = AsyncStream.makeStream(of: Double.self)
        let end = await withCheckedContinuation { (continuation: CheckedContinuation<End, Never>) in
            Uploader(user: "ada", password: password, onProgress: { step.yield($0) }) { status, body, error in
                step.finish()
                continuation.resume(returning: (status, body, error))
            }
            .upload(data, to: url)
        }
        return (end, await steps.reduce(into: []) { $0.append($1) })
    }

    private static func origin() throws -> ScriptedOrigin {
        try ScriptedOrigin { _, request in
            let isKnown = request.value(of: "Authorization") == "Basic " + Data("ada:secret".utf8).base64EncodedString()
            return [
                isKnown
                    ? .respond(status: 201, body: "\(request.body.count)")
                    : .respond(status: 401, fields: [("WWW-Authenticate", "Basic realm=\"files\"")])
            ]
        }
    }

    @Test func `an upload answers the challenge and tells its progress`() async throws {
        let data = Data(repeating: 7, count: 1 << 20)
        let (end, steps) = try await Self.upload(data, password: "secret", to: try Self.origin())
        #expect(end.status == 201 && end.error == nil)
        #expect(String(decoding: end.body, as: UTF8.self) == "1048576")
        #expect(steps.last == 1)
    }

    @Test func `a wrong password is the answer 401`() async throws {
        let (end, _) = try await Self.upload(Data("x".utf8), password: "wrong", to: try Self.origin())
        #expect(end.status == 401)
    }
}
