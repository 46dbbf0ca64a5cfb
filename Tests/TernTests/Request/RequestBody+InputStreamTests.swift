// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernTesting
import Testing

@testable import Tern

@Suite(.timeLimit(.minutes(5))) struct RequestBodyInputStreamTests {
    private let session = Session(configuration: .default)

    private static func echo() throws -> ScriptedOrigin {
        try ScriptedOrigin { _, request in [.ok("\(request.body.count)")] }
    }

    private static func pattern(_ count: Int) -> Data {
        Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })
    }

    private func upload(_ content: RequestBody, to origin: ScriptedOrigin) async throws -> String {
        let (answer, _) = try await session.upload(for: URLRequest(string: origin.url()), from: content)
        return String(decoding: answer, as: UTF8.self)
    }

    @Test(arguments: [0, 1, 65_536, 200_000], [false, true])
    func `its bytes arrive, with their length if that is known and in chunks if not`(count: Int, isKnown: Bool)
        async throws
    {
        let origin = try Self.echo()
        let body = Self.pattern(count)
        let content = RequestBody.inputStream(InputStream(data: body), length: isKnown ? count : nil)
        #expect(try await upload(content, to: origin) == "\(count)")
        let request = try #require(origin.requests.first)
        #expect(Data(request.body) == body)
        #expect(request.value(of: "content-length") == (isKnown ? "\(count)" : nil))
        #expect(request.value(of: "transfer-encoding") == (isKnown ? nil : "chunked"))
    }
}
