// SPDX-License-Identifier: Apache-2.0

/// What is left for the end of a tick, once: the maker promises that, and the loop takes it out of its queue to run it.
///
/// A type of its own, because an array of a generic one is looked up at run time wherever it is used.
@safe
enum Resumption {
    case continuation(UnsafeContinuation<Void, Never>)
    case work(@Sendable () -> Void)

    func run() {
        switch self {
        case .continuation(let continuation): unsafe continuation.resume()
        case .work(let work): work()
        }
    }
}
