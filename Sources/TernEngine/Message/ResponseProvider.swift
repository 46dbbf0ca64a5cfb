// SPDX-License-Identifier: Apache-2.0
package import FoundationEssentials
import Synchronization
import TernLock

/// Answers requests in place of the network and of the cache: the protocol classes of a program, and what has a URL but no
/// server. A session takes its providers from ``SessionConfiguration``, and asks them in order for each hop.
package protocol ResponseProvider: Sendable {
    /// Whether hops that have a server are provided for, too. Asked for each of them, on a reactor's thread.
    var isForServers: Bool { get }

    /// Returns what answers the request; nil leaves it to the next provider. Calls code of the user, which may block: on a
    /// queue of the hop, several of which run at a time.
    ///
    /// - Parameters:
    ///   - request: the request of the hop, with what policies have added, such as cookies.
    ///   - task: the task of the hop.
    func response(to request: URLRequest, of task: any AnyObject & Sendable) -> (any ProvidedResponse)?
}

/// What answers requests of the whole process: of each session whose configuration names no providers, from the next hop
/// on, whenever the session was made.
package enum RegisteredProvider {
    private static let provider = Lock<(any ResponseProvider)?>(nil)
    private static let isSet = Atomic<Bool>(false)

    /// Whether there is one. Asked for every request, without a lock.
    package static var exists: Bool { isSet.load(ordering: .relaxed) }

    /// Sets the provider; nil for none.
    package static func set(_ new: (any ResponseProvider)?) {
        let old = provider.withLock { provider in
            defer { provider = new }
            isSet.store(new != nil, ordering: .relaxed)
            return provider
        }
        withExtendedLifetime(old) {}
    }

    static var all: [any ResponseProvider] { exists ? provider.withLock { $0.map { [$0] } ?? [] } : [] }
}

/// What answers one hop. The session calls it on one queue, and releases it there.
package protocol ProvidedResponse: AnyObject, Sendable {
    /// Starts to answer. Called once at most.
    func start(_ receiver: any ProvidedResponseReceiver)

    /// The rest of the response is not wanted: the task was cancelled, has timed out, or goes on without it. Called once at
    /// most, after `start`, and not after the receiver was told that the response is complete or has failed.
    func stop()
}

/// Receives a provided response, on any thread and in any order: what makes no sense any more has no effect. It keeps what
/// a task cannot take yet, because it is suspended or its delegate has not answered: as much as the provider gives.
package protocol ProvidedResponseReceiver: AnyObject, Sendable {
    /// The head of the response. A second one has no effect.
    ///
    /// - Parameters:
    ///   - isStorable: whether a cache of the session may store the response, as far as its head permits it.
    ///   - isFollowed: whether a redirect by its status and `Location` is followed, as one of the network is.
    func receive(_ response: HTTPURLResponse, isStorable: Bool, isFollowed: Bool)

    /// The next part of the content. Before a head it is that of a response of status 200 without fields.
    func receive(_ content: Data)

    /// The response is a redirect to this request, which the delegate is asked about, and complete.
    func redirect(to request: URLRequest, after response: HTTPURLResponse)

    /// The response is complete.
    func finish()

    /// There is no response, or no more of it.
    func fail(_ error: any Error)
}
