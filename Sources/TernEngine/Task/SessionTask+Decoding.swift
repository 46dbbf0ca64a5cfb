// SPDX-License-Identifier: Apache-2.0
import TernHTTP1

// On the reactor's thread: bodies in, decoded.
extension SessionTask {
    /// Looks at what the body of `response` is coded in.
    func prepareDecoding(_ response: inout HTTPURLResponse) {
        guard originalRequest.decodesContent ?? defaults.decodesContent, response.head["Content-Encoding"] != nil
        else { return }
        let codings = ContentCoding.applied(in: response.head.fields.values(for: "Content-Encoding"))
        if codings.isEmpty { return }
        response.isContentDecoded = true
        let aside = needAside()
        do throws(ContentDecodingError) {
            aside.path = try BodyPath(decoding: codings, limits: defaults.contentDecodingLimits)
        } catch {
            aside.decodingError = error
        }
    }

    /// Decodes and delivers until the turn is over, the task is paused, or all is taken.
    func decode(_ octets: Span<UInt8>, _ allowance: inout TurnAllowance) -> ContentTaken {
        guard let aside else { return .all }
        do throws(ContentDecodingError) {
            if let error = aside.decodingError { throw error }
            let taken = try aside.path.receive(octets) { piece, price in
                allowance.spend(max(TurnAllowance.event, price))
                if !piece.isEmpty { delegate.task(self, didReceive: piece) }
                return !allowance.isSpent && connection?.isPaused == false
            }
            return taken == octets.count && !aside.path.hasMore ? .all : .some(taken)
        } catch {
            connection?.end(.transfer(.undecodable(error)))
            return .all
        }
    }

    /// The coded body is complete. False, and the task ends, if its coding is not.
    func finishDecoding() -> Bool {
        guard let aside, aside.isDecoding else { return true }
        do throws(ContentDecodingError) {
            try aside.path.finish()
            return true
        } catch {
            connection?.end(.transfer(.undecodable(error)))
            return false
        }
    }
}
