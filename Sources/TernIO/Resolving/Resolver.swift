// SPDX-License-Identifier: Apache-2.0
import Glibc
import Synchronization

/// Resolves host names with getaddrinfo(3) on threads of its own, never on a reactor.
///
/// Lookups of one name that overlap share one call. At most 16 names are looked up at a time, so that a dead name
/// server for one does not hold up the others; threads end when the queue is empty.
public final class Resolver: Sendable {
    public typealias Completion = @Sendable (Result<[SocketAddress], ResolveError>) -> Void

    private struct Key: Hashable {
        let host: String
        let port: UInt16
    }

    private struct State {
        var waiting: [Key: [Completion]] = [:]
        var queue: [Key] = []
        var threads = 0
    }

    private static let threadLimit = 16
    private let state = Mutex(State())

    public init() {}

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
        if needsThread { startThread() }
    }

    private func startThread() {
        do {
            try Thread.start(name: "tern-resolver") { self.work() }
        } catch {
            work()  // no thread to be had: a slow answer beats none
        }
    }

    private func work() {
        while let key = nextKey() {
            let result = Self.lookUp(key.host, port: key.port)
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

    private static func lookUp(_ host: String, port: UInt16) -> Result<[SocketAddress], ResolveError> {
        var hints = unsafe addrinfo()
        unsafe hints.ai_family = AF_UNSPEC
        unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        unsafe hints.ai_flags = AI_ADDRCONFIG | AI_NUMERICSERV
        var list: UnsafeMutablePointer<addrinfo>?
        var code = unsafe getaddrinfo(host, String(port), &hints, &list)
        if code != 0 {
            // AI_ADDRCONFIG hides loopback addresses on a machine that has no other interface up.
            unsafe hints.ai_flags = AI_NUMERICSERV
            let second = unsafe getaddrinfo(host, String(port), &hints, &list)
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
}
