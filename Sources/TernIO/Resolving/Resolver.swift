// SPDX-License-Identifier: Apache-2.0
import CTernLinux
import TernLibC

/// Resolves host names with getaddrinfo(3) on its own threads, never on a reactor.
///
/// Concurrent look-ups of one name share one call. At most 16 names are looked up at a time. A look-up that takes
/// longer than a second is hanging and no longer counts, so unresponsive name servers delay no other name; the number
/// of threads then grows up to 256, and when all of them hang, further names are refused. An idle thread waits some
/// seconds for more work; all threads end with the resolver.
///
/// Answers are not cached, because getaddrinfo(3) does not report the lifetimes of records. A connection that is kept
/// alive needs no look-up, and where look-ups are expensive, the machine's own cache (systemd-resolved, nscd) knows the
/// lifetimes.
public final class Resolver: Sendable {
    let threads: ResolverThreads

    /// Creates a resolver that uses the system's look-up and starts no thread until its first look-up.
    public convenience init() {
        self.init(lookUp: Resolver.resolveWithSystem) { body throws(SystemCallError) in
            try Thread.start(name: "tern-resolver", body)
        }
    }

    /// `lookUp` blocks until it has an answer; it is called on a thread made by `startThread`. A look-up that takes
    /// longer than `patience` is hanging.
    init(
        idleTime: Duration = .seconds(5), patience: Duration = .seconds(1), lookUp: @escaping ResolverThreads.LookUp,
        startThread: @escaping ResolverThreads.StartThread
    ) {
        threads = ResolverThreads(
            idleTime: idleTime, patience: patience, lookUp: lookUp, startThread: startThread)
    }

    deinit { threads.close() }

    /// Calls `completion` once: with the addresses of the family in the resolver's order (RFC 6724), never an empty list.
    /// IP literals and names of this machine are answered immediately on the calling thread, without a ticket; everything
    /// else is answered on a resolver thread, except a refusal.
    @discardableResult
    public func resolve(
        host: String, port: UInt16, family: AddressFamily = .any, completion: @escaping LookUpCompletion
    ) -> LookUpTicket? {
        if let known = Self.knownAddresses(of: host, family: family) {
            completion(known.map { $0.map { .ip($0, port: port) } })
            return nil
        }
        return threads.resolve(LookUpName(host: host, port: port, family: family), completion)
    }

    /// The addresses of an IP literal in any spelling, and of the names of this machine; nil for all other names.
    ///
    /// RFC 6761 §6.3: `localhost`, its absolute form and every name below it are the loopback addresses, which no name
    /// server and no file is asked for. Most servers listen at 127.0.0.1; the other one follows if it refuses.
    package static func knownAddresses(of host: String, family: AddressFamily) -> Result<[IPAddress], ResolveError>? {
        if let literal = IPAddress(anySpelling: host) {
            return family.includes(literal)
                ? .success([literal]) : .failure(ResolveError(host: host, reason: .otherFamily))
        }
        guard isLoopback(host) else { return nil }
        let addresses = [IPAddress(v4: 0x7F00_0001), IPAddress(IPAddress.Value(isIPv6: true, high: 0, low: 1))]
        return .success(addresses.filter(family.includes))
    }

    /// Cancels a look-up: its completion is released, and a name without other look-ups leaves the queue. A look-up
    /// that is being answered may still complete.
    public func cancel(_ ticket: LookUpTicket) { threads.cancel(ticket) }

    private static func resolveWithSystem(
        _ host: String, port: UInt16, family: AddressFamily
    ) -> Result<[TransportAddress], ResolveError> {
        // C would cut the text off there and look up another host.
        if host.utf8.contains(0) { return .failure(ResolveError(host: host, code: EAI_NONAME)) }
        var hints = unsafe addrinfo()
        unsafe hints.ai_family = family.hint
        unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        unsafe hints.ai_flags = AI_ADDRCONFIG | AI_NUMERICSERV
        var list: UnsafeMutablePointer<addrinfo>?
        var code = unsafe getaddrinfo(host, String(port), &hints, &list)
        if ResolveError(host: host, code: code).reason == .unknownHost {
            // AI_ADDRCONFIG hides the addresses of a family of which the machine has only loopback addresses.
            unsafe hints.ai_flags = AI_NUMERICSERV
            let second = unsafe getaddrinfo(host, String(port), &hints, &list)
            if second == 0 { code = 0 }
        }
        guard code == 0 else { return .failure(ResolveError(host: host, code: code)) }
        defer { unsafe freeaddrinfo(list) }
        var addresses: [TransportAddress] = []
        var next = unsafe list
        while let entry = unsafe next {
            if let raw = unsafe entry.pointee.ai_addr,
                let address = unsafe TransportAddress(raw, length: entry.pointee.ai_addrlen),
                !addresses.contains(address)
            {
                addresses.append(address)
            }
            unsafe next = entry.pointee.ai_next
        }
        return addresses.isEmpty ? .failure(ResolveError(host: host, code: EAI_NONAME)) : .success(addresses)
    }

    private static func isLoopback(_ host: String) -> Bool {
        let name = (host.hasSuffix(".") ? host.dropLast() : host[...]).lowercased()
        return name == "localhost" || name.hasSuffix(".localhost")
    }
}

/// Receives the result of a look-up: at least one address, or the reason why there is none.
public typealias LookUpCompletion = @Sendable (Result<[TransportAddress], ResolveError>) -> Void
