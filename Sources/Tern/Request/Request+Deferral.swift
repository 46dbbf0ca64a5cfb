// SPDX-License-Identifier: Apache-2.0

// For managers of other kinds that create requests of this one.
extension Request {
    /// Runs its argument later.
    package typealias Deferral = @Sendable (@escaping @Sendable () -> Void) -> Void

    /// Runs work on the callback queue after the progress reports that wait there. Does not retain the request.
    package var afterReports: Deferral {
        { [callbacks = context.callbacks] work in callbacks.post(CallbackBlock(work)) }
    }
}
