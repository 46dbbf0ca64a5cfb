// SPDX-License-Identifier: Apache-2.0

/// Work for the end of a tick, run exactly once: its creator guarantees that it is resumed once, and the loop removes
/// it from its queue to run it.
///
/// A type of its own, because the metadata of a generic element type would be looked up at run time.
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
