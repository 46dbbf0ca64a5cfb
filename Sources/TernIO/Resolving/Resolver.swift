// SPDX-License-Identifier: Apache-2.0
import Glibc
import TernLock

/// Resolves host names with getaddrinfo(3) on threads of its own, never on a reactor.
///
/// Lookups of one name that overlap share one call. At most 16 names are looked up at a time, so that a dead name
/// server for one does not hold up the others; threads end when the queue is empty.
public final class Resolver: Sendable {
    public typealias Completion = @Sendable (Result<[SocketAddress], ResolveError>) -> Void
    typealias LookUp = @Sendable (_ host: String, _ port: UInt16) -> Result<[SocketAddress], ResolveError>
    typealias StartThread = @Sendable (_ body: @escaping @Sendable () -> Void) throws(SystemError) -> Void

    private struct Key: Hashable {
        let host: String
        let port: UInt16
    }

    private struct State {
        var waiting: [Key: [Completion]] = [:]
        var queue: [Key] = []
        var threads = 0
    }

    static let threadLimit = 16
    private let state = Lock(State())
    private let lookUp: LookUp
    private let startThread: StartThread

    public convenience init() {
        self.init(lookUp: Resolver.askSystem) { body throws(SystemError) in
            try Thread.start(name: "tern-resolver", body)
        }
    }

    /// `lookUp` blocks until it knows; it is called on a thread made by `startThread`.
    init(lookUp: @escaping LookUp, startThread: @escaping StartThread) {
        self.lookUp = lookUp
        self.startThread = startThread
    }

    /// Calls `completion` once: with the addresses in the resolver's order (RFC 6724), never an empty list. IP
    /// literals are answered at once on the calling thread; everything else on a resolver thread.
    public func resolve(host: String, port: UInt16, completion: @escaping Completion) {
        if let literal = SocketAddress(literal: host, port: port) {
            completion(.success([literal]))
            return
        }
        let key = Key(host: host, port: port)
        let needsThread = state.withLock { state in
            if state.waiting[key] != nil {
                state.waiting[key]?.append(completion)
                return false
            }
            state.waiting[key] = [completion]
            state.queue.append(key)
            guard state.threads < Self.threadLimit else { return false }
            state.threads += 1
            return true
        }
        if !needsThread { return }
        do {
            try startThread { self.work() }
        } catch {
            failWithoutThread()
        }
    }

    /// No thread to be had. Threads that run already will come to what waits; without any it fails, because looking it
    /// up here would block the caller's reactor.
    private func failWithoutThread() {
        let stranded = state.withLock { state in
            state.threads -= 1
            guard state.threads == 0 else { return [:] as [Key: [Completion]] }
            defer { state.queue = [] }
            return state.queue.reduce(into: [:]) { $0[$1] = state.waiting.removeValue(forKey: $1) }
        }
        for (key, completions) in stranded {
            for completion in completions { completion(.failure(ResolveError(host: key.host, code: EAI_AGAIN))) }
        }
    }

    private func work() {
        while let key = nextKey() {
            let result = lookUp(key.host, key.port)
            let completions = state.withLock { $0.waiting.removeValue(forKey: key) } ?? []
            for completion in completions { completion(result) }
        }
    }

    private func nextKey() -> Key? {
        state.withLock { state in
            if state.queue.isEmpty {
                state.threads -= 1
                return nil
            }
            return state.queue.removeFirst()
        }
    }

    private static func askSystem(_ host: String, port: UInt16) -> Result<[SocketAddress], ResolveError> {
        // To C the text would end there, and the answer would be another host's.
        if host.utf8.contains(0) { return .failure(ResolveError(host: host, code: EAI_NONAME)) }
        var hints = unsafe addrinfo()
        unsafe hints.ai_family = AF_UNSPEC
        unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        unsafe hints.ai_flags = AI_ADDRCONFIG | AI_NUMERICSERV
        var list: UnsafeMutablePointer<addrinfo>?
        let name = isLoopback(host) ? "localhost" : host
        var code = unsafe getaddrinfo(name, String(port), &hints, &list)
        if ResolveError(host: host, code: code).reason == .unknownHost {
            // AI_ADDRCONFIG hides the addresses of a family in which the machine has none but its loopback's.
            unsafe hints.ai_flags = AI_NUMERICSERV
            let second = unsafe getaddrinfo(name, String(port), &hints, &list)
            if second == 0 { code = 0 }
        }
        guard code == 0 else { return .failure(ResolveError(host: host, code: code)) }
        defer { unsafe freeaddrinfo(list) }
        var addresses: [SocketAddress] = []
        var next = unsafe list
        while let entry = unsafe next {
            if let raw = unsafe entry.pointee.ai_addr, let address = unsafe SocketAddress(raw),
                !addresses.contains(address)
            {
                addresses.append(address)
            }
            unsafe next = entry.pointee.ai_next
        }
        return addresses.isEmpty ? .failure(ResolveError(host: host, code: EAI_NONAME)) : .success(addresses)
    }

    /// RFC 6761 §6.3: `localhost`, its absolute form and every name below it, whatever a name server may say of them.
    private static func isLoopback(_ host: String) -> Bool {
        let name = host.hasSuffix(".") ? host.dropLast() : host[...]
        return name == "localhost" || name.hasSuffix(".localhost")
    }
}
