// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL
import Synchronization

/// A step of a handshake in which the client's key may have to sign, for a key that is elsewhere: it may wait for as
/// long as the key's owner does. OpenSSL asks for the signature within the step that finds the server's flight
/// complete.
///
/// Safety: from its creation until its result is taken, the session makes no call about its connection, and this object
/// makes one, once, within `step`, which retains the connection.
@safe public final class PendingSignature: @unchecked Sendable {
    private let step: ([UInt8]) -> (problem: Int32, unread: Int)
    private let ciphertext: [UInt8]
    private let wait = SignatureWait()
    private let hasRun = Atomic(false)

    /// - Parameters:
    ///   - ciphertext: what the peer has sent, and OpenSSL has not read.
    ///   - step: continues the handshake with it.
    init(ciphertext: [UInt8], step: @escaping ([UInt8]) -> (problem: Int32, unread: Int)) {
        self.ciphertext = ciphertext
        self.step = step
    }

    /// Does the step on this thread, which may block; pass the result to `TLSSession.take`. A closure that signs runs
    /// on this thread, too.
    public func run() -> CompletedSignature {
        if hasRun.exchange(true, ordering: .relaxed) {
            return CompletedSignature(pending: self, problem: SSL_ERROR_SSL, consumed: 0, errors: [], failure: nil)
        }
        let (problem, unread) = wait.perform { step(ciphertext) }
        return CompletedSignature(
            pending: self, problem: problem, consumed: ciphertext.count - unread, errors: OpenSSLError.drain(),
            failure: wait.failure)
    }

    /// Ends `run` soon, with a failure: a closure that signs is cancelled and waited for no more. A token is waited
    /// for. Any thread may call it.
    public func cancel() { wait.abandon() }
}

extension PendingSignature: Hashable {
    public static func == (left: PendingSignature, right: PendingSignature) -> Bool { left === right }

    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// The result of a ``PendingSignature``: an object, so that a session that never has one holds a pointer only.
public final class CompletedSignature: Sendable {
    let pending: PendingSignature
    /// What stopped OpenSSL, `SSL_ERROR_…`.
    let problem: Int32
    /// The number of bytes of ciphertext that it has read.
    let consumed: Int
    let errors: [OpenSSLError]
    /// Why the key has not signed.
    let failure: SigningFailure?

    init(pending: PendingSignature, problem: Int32, consumed: Int, errors: [OpenSSLError], failure: SigningFailure?) {
        (self.pending, self.problem, self.consumed) = (pending, problem, consumed)
        (self.errors, self.failure) = (errors, failure)
    }
}
