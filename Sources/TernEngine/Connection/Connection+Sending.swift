// SPDX-License-Identifier: Apache-2.0
import TernHTTP1
import TernIO

// Out: encode, seal, send.
extension Connection {
    var isSending: Bool { !outgoing.isSent || transport?.hasUnsent == true }

    /// Sends until everything is out or the kernel takes no more.
    func flush() {
        let before = transport?.sentCount
        let result = Result { () throws(TransportError) in
            try outgoing.send(over: &transport)
            // What the kernel did not take before, with nothing new to go with it.
            try transport?.flush()
        }
        if transport?.sentCount != before, silence.requestSent == nil, case .active = state.stage {
            silence.sent(all: !isSending, loop.now)
            if hasHeadLimit { setDeadline() }
        }
        switch result {
        case .success: updateInterest()
        case .failure(.system(let error)): sendingFailed(error)
        case .failure(.tls(let error)): end(.insecure(error))
        }
    }

    /// The answer comes first, the error only if there is none.
    private func sendingFailed(_ error: SystemError) {
        let consequence = state.outputFailed(error)
        if case .none = consequence {
            outgoing.drop()
            updateInterest()
        }
        follow(consequence, error)
    }

    func updateInterest() {
        if case .closed = state.stage { return }
        // A peer that asks and asks and takes no answer is not listened to.
        var interest: Interest = isPaused || transport?.owesTooMuch == true ? [] : .readable
        if state.sendingError == nil, isSending { interest.insert(.writable) }
        do throws(SystemError) {
            try loop.setInterest(interest, for: token)
        } catch {
            end(.system(error))
        }
    }
}
