// SPDX-License-Identifier: Apache-2.0

/// Somebody who is to be resumed, once: whoever makes one promises that, and whoever runs it takes it out of its queue to do so.
///
/// A type of its own, because an array of a generic one is looked up at run time wherever it is used.
@safe
struct Resumption {
    private let continuation: UnsafeContinuation<Void, Never>

    @unsafe init(_ continuation: UnsafeContinuation<Void, Never>) { unsafe self.continuation = continuation }

    func run() { unsafe continuation.resume() }
}
