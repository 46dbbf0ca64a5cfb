// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernEngine
import TernTesting

/// A suite of requests that ask for the protocol "echo".
protocol UpgradeDialogue {}

extension UpgradeDialogue {
    static var agreement: String {
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: echo\r\nConnection: Upgrade\r\n\r\n"
    }

    static func request(_ origin: ScriptedOrigin, _ path: String = "/") throws -> URLRequest {
        var request = try URLRequest(origin, path)
        request.setValue("echo", forHTTPHeaderField: "Upgrade")
        return request
    }

    static func text(_ stream: StreamTask, _ count: Int) async throws -> String {
        let (data, _) = try await stream.readData(ofMinLength: count, maxLength: count, timeout: .seconds(60))
        return String(decoding: data ?? Data(), as: UTF8.self)
    }
}
