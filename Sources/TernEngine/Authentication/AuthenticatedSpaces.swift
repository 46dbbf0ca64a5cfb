// SPDX-License-Identifier: Apache-2.0
import TernHTTP1
import TernLock

/// The protection spaces in which servers have accepted passwords of a session, and which URLs they reach: a request
/// within one needs no challenge. Any thread.
///
/// - Basic: the URLs at or below the folder of one that was authenticated (RFC 7617 §2.2).
/// - Digest: the URLs that the challenge's `domain` names, as prefixes, else the whole origin (RFC 7616 §3.3). Of those at
///   other origins none: a server does not say which of them receives an answer.
final class AuthenticatedSpaces: Sendable {
    fileprivate static let (maximumOriginCount, maximumSpaceCount, maximumPrefixCount) = (1_000, 32, 32)

    fileprivate struct Space {
        var login: PasswordLogin
        /// Of paths.
        var prefixes: [String]
    }

    fileprivate struct State {
        var spaces: [HTTPOrigin: [Space]] = [:]
        /// The origins, in the order in which they were added.
        var origins: [HTTPOrigin] = []
    }

    private let state = Lock(State())

    /// The server has accepted the answer to a request with this target.
    func add(_ login: PasswordLogin, for target: String) {
        let prefixes = login.domain ?? [Self.folder(of: target)]
        state.withLock { state in
            if state.spaces[login.origin] == nil { state.makeRoom(for: login.origin) }
            state.spaces[login.origin, default: []].add(login, prefixes)
        }
    }

    /// The login of the space that the target is in: of several the one with the longest prefix; nil if it is in none.
    func login(for origin: HTTPOrigin, _ target: String) -> PasswordLogin? {
        guard let spaces = state.withLock({ $0.spaces[origin] }), let path = Self.plainPath(of: target) else {
            return nil
        }
        let matches = spaces.compactMap { space in
            space.prefixes.filter { path.utf8.starts(with: $0.utf8) }.map(\.utf8.count).max()
                .map { (length: $0, login: space.login) }
        }
        return matches.max { $0.length < $1.length }?.login
    }

    /// The server has refused this login.
    func remove(_ login: PasswordLogin) {
        state.withLock { state in state.spaces[login.origin]?.removeAll { $0.login === login } }
    }

    /// The folder of a target's path, with the slash at its end.
    private static func folder(of target: String) -> String {
        let path = target.utf8.prefix { $0 != UInt8(ascii: "?") }
        guard let slash = path.lastIndex(of: UInt8(ascii: "/")) else { return "/" }
        return String(decoding: path[...slash], as: UTF8.self)
    }

    /// The path of a target; nil for one with a segment of dots, escaped ones included, which may lead out of a folder.
    private static func plainPath(of target: String) -> String? {
        let path = String(decoding: target.utf8.prefix { $0 != UInt8(ascii: "?") }, as: UTF8.self)
        guard path.utf8.first == UInt8(ascii: "/") else { return nil }
        let segments = path.utf8.split(separator: UInt8(ascii: "/"))
        let isDotted = segments.contains { segment in
            guard let bytes = PercentEncoding.decoded(Array(segment)[...]) else { return false }
            return bytes == [0x2E] || bytes == [0x2E, 0x2E] || bytes.contains(0x2F) || bytes.contains(0x5C)
        }
        return isDotted ? nil : path
    }
}

extension AuthenticatedSpaces.State {
    fileprivate mutating func makeRoom(for origin: HTTPOrigin) {
        origins.append(origin)
        if origins.count <= AuthenticatedSpaces.maximumOriginCount { return }
        spaces[origins.removeFirst()] = nil
    }
}

extension [AuthenticatedSpaces.Space] {
    /// Adds prefixes to the space of the login, in place of an older login of it.
    fileprivate mutating func add(_ login: PasswordLogin, _ prefixes: [String]) {
        let index = firstIndex { $0.login.space == login.space }
        var all = index.map { self[$0].prefixes } ?? []
        if login.domain != nil { all = [] }
        for prefix in prefixes where !all.contains(where: { prefix.utf8.starts(with: $0.utf8) }) {
            all.removeAll { $0.utf8.starts(with: prefix.utf8) }
            all.append(prefix)
        }
        let space = Element(login: login, prefixes: all.suffix(AuthenticatedSpaces.maximumPrefixCount))
        if let index { self[index] = space } else { append(space) }
        if count > AuthenticatedSpaces.maximumSpaceCount { removeFirst() }
    }
}
