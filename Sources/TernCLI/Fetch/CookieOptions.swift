// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import TernEngine

/// The cookies, with curl's option names.
struct CookieOptions: ParsableArguments {
    @Option(
        name: [.customShort("b", allowingJoined: true), .customLong("cookie")], parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            """
            Send these cookies, as in "a=1; b=2"; without "=", those of this file in the Netscape format, and keep what \
            responses set. Repeat for more.
            """, valueName: "cookies or file"))
    var sources: [String] = []

    @Option(
        name: [.customShort("c", allowingJoined: true), .customLong("cookie-jar")], parsing: .unconditional,
        help: ArgumentHelp(
            "Keep the cookies that responses set, and replace this file with all of them at the end; \"-\" is standard output.",
            valueName: "file"))
    var jar: String?

    @Flag(
        name: [.customShort("j"), .customLong("junk-session-cookies")], help: "Leave out session cookies of -b's files."
    )
    var dropsSessionCookies = false

    /// The value of `Cookie` that is sent instead of stored cookies; nil for none.
    var field: String? {
        let texts = sources.filter { $0.contains("=") }
        return texts.isEmpty ? nil : texts.joined(separator: "; ")
    }

    func validate() throws {
        if dropsSessionCookies, sources.allSatisfy({ $0.contains("=") }) {
            throw ValidationError("-j needs a file of cookies: give -b with one")
        }
        if jar?.isEmpty == true { throw ValidationError("-c: the file name is empty") }
    }

    /// The cookies that are sent and kept; nil if none are kept. An empty name stands for no file.
    func storage() throws -> HTTPCookieStorage? {
        let files = sources.filter { !$0.contains("=") }
        if files.isEmpty, jar == nil { return nil }
        let storage = HTTPCookieStorage()
        for file in files where !file.isEmpty {
            let saved = try Self.open(file, "-b", keepsSessionCookies: !dropsSessionCookies)
            for cookie in saved.cookies ?? [] { storage.setCookie(cookie) }
        }
        // What cannot be replaced later is reported before anything is sent.
        if let jar, jar != "-" { _ = try Self.open(jar, "-c", keepsSessionCookies: true) }
        return storage
    }

    /// Replaces the cookies of the jar with those of the storage.
    func save(_ storage: HTTPCookieStorage) throws {
        guard let jar else { return }
        if jar == "-" { return try StandardStreams.write(Data(storage.netscapeText.utf8)) }
        let file = try Self.open(jar, "-c", keepsSessionCookies: true)
        file.removeCookies(since: .distantPast)
        for cookie in storage.cookies ?? [] { file.setCookie(cookie) }
        do throws(CookieFileError) {
            try file.save()
        } catch {
            throw CommandFailure(.unwritable, "-c: \(error)")
        }
    }

    private static func open(_ path: String, _ option: String, keepsSessionCookies: Bool) throws -> HTTPCookieStorage {
        do throws(CookieFileError) {
            return try HTTPCookieStorage(file: URL(filePath: path), keepsSessionCookies: keepsSessionCookies)
        } catch {
            throw CommandFailure(.unreadable, "\(option): \(error)")
        }
    }
}
