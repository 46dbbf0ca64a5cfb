// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing
import TernTesting
import TernURLSession

/// Each process has a data folder of its own, set before the shared storage is used first.
@Suite struct SharedCookieStorageTests {
    private let data = FileManager.default.temporaryDirectory.appending(path: "shared-cookies-\(UUID())").path

    private var file: String { "\(data)/\(ProcessInfo.processInfo.processName)/cookies.txt" }

    @Test func `two runs of a program keep a login`() async throws {
        defer { try? FileManager.default.removeItem(atPath: data) }
        let origin = try ScriptedOrigin { _, request in
            request.target == "/login"
                ? [.respond(status: 200, fields: [(name: "Set-Cookie", value: "user=ada; Max-Age=600; Path=/")])]
                : [.ok(request.value(of: "Cookie") ?? "none")]
        }
        let (login, whoami) = (origin.url("/login"), origin.url("/whoami"))
        await #expect(processExitsWith: .exitCode(0)) { [data = data as String, login = "\(login)" as String] in
            setenv("XDG_DATA_HOME", data, 1)
            _ = try await URLSession.shared.data(from: #require(URL(string: login)))
            #expect(HTTPCookieStorage.shared.cookies?.map(\.name) == ["user"])
            exit(0)
        }
        let attributes = try FileManager.default.attributesOfItem(atPath: file)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        await #expect(processExitsWith: .exitCode(0)) { [data = data as String, whoami = "\(whoami)" as String] in
            setenv("XDG_DATA_HOME", data, 1)
            let (answer, _) = try await URLSession.shared.data(from: #require(URL(string: whoami)))
            exit(String(decoding: answer, as: UTF8.self) == "user=ada" ? 0 : 1)
        }
    }

    @Test func `the storage is in memory where its folder cannot be made, and says why`() async throws {
        defer { try? FileManager.default.removeItem(atPath: data) }
        try Data().write(to: URL(fileURLWithPath: data))
        await #expect(processExitsWith: .exitCode(0)) { [data = data as String] in
            setenv("XDG_DATA_HOME", data, 1)
            let storage = HTTPCookieStorage.shared
            let cookie = try #require(HTTPCookie(properties: [.name: "a", .value: "1", .domain: "a.test", .path: "/"]))
            storage.setCookie(cookie)
            let says = storage.saveError.map { "\($0)".hasPrefix("cannot write cookies to \(data)/") } ?? false
            exit(says && storage.cookies?.count == 1 ? 0 : 1)
        }
    }

    @Test func `a file that others may use is left alone`() async throws {
        defer { try? FileManager.default.removeItem(atPath: data) }
        let folder = URL(fileURLWithPath: file).deletingLastPathComponent()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data("a.test\tFALSE\t/\tFALSE\t4102444800\ta\t1\n".utf8).write(to: URL(fileURLWithPath: file))
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file)
        await #expect(processExitsWith: .exitCode(0)) { [data = data as String] in
            setenv("XDG_DATA_HOME", data, 1)
            exit(HTTPCookieStorage.shared.saveError != nil && HTTPCookieStorage.shared.cookies == [] ? 0 : 1)
        }
    }
}
