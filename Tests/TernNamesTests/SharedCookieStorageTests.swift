// SPDX-License-Identifier: Apache-2.0
// Safety: C functions are given terminated strings.
import Foundation
import Synchronization
import TernAlamofire
import TernTesting
import Testing

/// Each process has a data folder of its own, set before the shared storage is used first.
@Suite(.timeLimit(.minutes(1))) struct SharedCookieStorageTests {
    private let data = FileManager.default.temporaryDirectory.appending(path: "shared-cookies-\(UUID())").path

    private var folder: String { "\(data)/\(ProcessInfo.processInfo.processName)" }
    private var file: String { folder + "/cookies.txt" }

    /// Sets a cookie at `/login`, and tells which it gets elsewhere.
    private func makeOrigin() throws -> ScriptedOrigin {
        try ScriptedOrigin { _, request in
            guard request.target.hasPrefix("/login/") else { return [.ok(request.value(of: "Cookie") ?? "none")] }
            let cookie = "\(request.target.dropFirst(7))=ada; Max-Age=600; Path=/"
            return [.respond(status: 200, fields: [(name: "Set-Cookie", value: cookie)])]
        }
    }

    @Test func `a login right before the end of the program is kept for the next run`() async throws {
        defer { try? FileManager.default.removeItem(atPath: data) }
        let origin = try makeOrigin()
        let (login, whoami) = (origin.url("/login/user"), origin.url("/whoami"))
        await #expect(processExitsWith: .exitCode(0)) { [data = data as String, login = login as String] in
            unsafe setenv("XDG_DATA_HOME", data, 1)
            URLSession.shared.dataTask(with: try #require(URL(string: login))) { _, _, _ in exit(0) }.resume()
            for await _ in AsyncStream(Void.self, { _ in }) {}
        }
        let attributes = try FileManager.default.attributesOfItem(atPath: file)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        await #expect(processExitsWith: .exitCode(0)) { [data = data as String, whoami = whoami as String] in
            unsafe setenv("XDG_DATA_HOME", data, 1)
            let (answer, _) = try await URLSession.shared.data(from: #require(URL(string: whoami)))
            exit(String(decoding: answer, as: UTF8.self) == "user=ada" ? 0 : 1)
        }
    }

    @Test func `the default manager keeps a login as well, in the same storage`() async throws {
        defer { try? FileManager.default.removeItem(atPath: data) }
        let origin = try makeOrigin()
        let (login, whoami) = (origin.url("/login/user"), origin.url("/whoami"))
        await #expect(processExitsWith: .exitCode(0)) { [data = data as String, login = login as String] in
            unsafe setenv("XDG_DATA_HOME", data, 1)
            let isDone: Bool = await withCheckedContinuation { continuation in
                Alamofire.request(login).response { continuation.resume(returning: $0.error == nil) }
            }
            exit(isDone ? 0 : 1)
        }
        await #expect(processExitsWith: .exitCode(0)) { [data = data as String, whoami = whoami as String] in
            unsafe setenv("XDG_DATA_HOME", data, 1)
            func text() async -> String? {
                await withCheckedContinuation { continuation in
                    SessionManager.default.request(whoami).responseString {
                        continuation.resume(returning: $0.value)
                    }
                }
            }
            let kept = await text()
            let (answer, _) = try await URLSession.shared.data(from: #require(URL(string: whoami)))
            HTTPCookieStorage.shared.removeCookies(since: .distantPast)
            let cleared = await text()
            exit(kept == "user=ada" && String(decoding: answer, as: UTF8.self) == kept && cleared == "none" ? 0 : 1)
        }
        #expect(try String(contentsOfFile: file, encoding: .utf8).contains("user") == false)
    }

    @Test func `one storage has all names, whichever is used first`() async throws {
        defer { try? FileManager.default.removeItem(atPath: data) }
        await #expect(processExitsWith: .exitCode(0)) { [data = data as String] in
            unsafe setenv("XDG_DATA_HOME", data, 1)
            let storages = await withTaskGroup(of: HTTPCookieStorage?.self) { group in
                for number in 0..<12 {
                    group.addTask {
                        switch number % 4 {
                        case 0: SessionManager.default.session.configuration.httpCookieStorage
                        case 1: URLSession.shared.configuration.httpCookieStorage
                        case 2: URLSessionConfiguration.default.httpCookieStorage
                        default: HTTPCookieStorage.shared
                        }
                    }
                }
                return await group.reduce(into: [HTTPCookieStorage?]()) { $0.append($1) }
            }
            exit(storages.allSatisfy { $0 === HTTPCookieStorage.shared && $0?.saveError == nil } ? 0 : 1)
        }
    }

    @Test func `two processes at once lose no cookie of each other`() async throws {
        defer { try? FileManager.default.removeItem(atPath: data) }
        // Each waits at the origin for the other.
        let (origin, gate) = (try makeOrigin(), Gate())
        let meeting = try ScriptedOrigin { _, _ in
            gate.pass()
            return [.ok()]
        }
        func run(_ name: String) async {
            let urls = [meeting.url("/"), origin.url("/login/" + name)]
            await #expect(processExitsWith: .exitCode(0)) { [data = data as String, urls = urls as [String]] in
                unsafe setenv("XDG_DATA_HOME", data, 1)
                for url in urls { _ = try await URLSession.shared.data(from: #require(URL(string: url))) }
                exit(HTTPCookieStorage.shared.saveError == nil ? 0 : 1)
            }
        }
        async let first: Void = run("one")
        async let second: Void = run("two")
        _ = await (first, second)
        let text = try String(contentsOfFile: file, encoding: .utf8)
        #expect(text.contains("\tone\tada\n") && text.contains("\ttwo\tada\n"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["cookies.txt"])
    }

    /// Lets two pass together.
    private final class Gate: Sendable {
        private let isFirst = Atomic<Bool>(true)
        private let second = DispatchSemaphore(value: 0)

        func pass() {
            if isFirst.exchange(false, ordering: .relaxed) { second.wait() } else { second.signal() }
        }
    }

    @Test func `the storage is in memory where its folder cannot be made, and says why`() async throws {
        defer { try? FileManager.default.removeItem(atPath: data) }
        try Data().write(to: URL(fileURLWithPath: data))
        await #expect(processExitsWith: .exitCode(0)) { [data = data as String] in
            unsafe setenv("XDG_DATA_HOME", data, 1)
            let storage = HTTPCookieStorage.shared
            let cookie = try #require(HTTPCookie(properties: [.name: "a", .value: "1", .domain: "a.test", .path: "/"]))
            storage.setCookie(cookie)
            let says = storage.saveError.map { "\($0)".hasPrefix("cannot write cookies to \(data)/") } ?? false
            exit(says && storage.cookies?.count == 1 ? 0 : 1)
        }
    }

    @Test func `a program ends although another keeps the file locked`() async throws {
        defer { try? FileManager.default.removeItem(atPath: data) }
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let lock = unsafe open(file + ".lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        #expect(lock >= 0 && flock(lock, LOCK_EX) == 0)
        defer { close(lock) }
        let (clock, start) = (ContinuousClock(), ContinuousClock.now)
        await #expect(processExitsWith: .exitCode(0)) { [data = data as String] in
            unsafe setenv("XDG_DATA_HOME", data, 1)
            let cookie = try #require(
                HTTPCookie(properties: [
                    .name: "a", .value: "1", .domain: "a.test", .path: "/", .maximumAge: "600",
                ]))
            HTTPCookieStorage.shared.setCookie(cookie)
            exit(0)
        }
        #expect(clock.now - start < .seconds(30) && !FileManager.default.fileExists(atPath: file))
    }
}
