// SPDX-License-Identifier: Apache-2.0
import TernHTTP1
import TernIO

/// Records the exchanges of a session.
final class CassetteRecorder: ExchangeRecorder {
    private let cassette: Cassette
    private let sensitiveFields: SensitiveFields

    /// Nil for a session without a cassette that records.
    init?(of configuration: SessionConfiguration) {
        guard let cassette = configuration.cassette, !cassette.isPlaying else { return nil }
        (self.cassette, sensitiveFields) = (cassette, configuration.sensitiveFields)
    }

    func recording(of hop: Hop, on carrier: any Carrier, for delegate: any ExchangeDelegate) -> any ExchangeDelegate {
        let sensitive = sensitiveFields.union(hop.request.sensitiveFields)
        return RecordedExchange(hop.request, sensitive, cassette, carrier, delegate)
    }
}

/// Stands between a connection and its attempt, and notes what passes. To the connection it is the delegate, to the attempt
/// the carrier.
private final class RecordedExchange: Carrier, ExchangeDelegate {
    private let request: URLRequest
    private let sensitiveFields: SensitiveFields
    private let cassette: Cassette
    private let place: Int
    private let carrier: any Carrier
    private var delegate: (any ExchangeDelegate)?
    private var informational: [CassetteInteraction.Head] = []
    /// Nil before the head, and once the interaction has been put into the cassette.
    private var response: CassetteInteraction.Response?

    init(
        _ request: URLRequest, _ sensitiveFields: SensitiveFields, _ cassette: Cassette, _ carrier: any Carrier,
        _ delegate: any ExchangeDelegate
    ) {
        (self.request, self.sensitiveFields, self.cassette) = (request, sensitiveFields, cassette)
        (self.carrier, self.delegate) = (carrier, delegate)
        place = cassette.begin()
    }

    private func note(_ event: ResponseEvent, _ bytes: Span<UInt8>, _ taken: ContentTaken) {
        switch event {
        case .informational(let head): informational.append(CassetteInteraction.Head(head))
        case .head(let head):
            response = CassetteInteraction.Response(
                informational: informational.isEmpty ? nil : informational, head: CassetteInteraction.Head(head),
                body: RecordedBytes([]), isCut: true)
        case .body(let range):
            // One byte more than a cassette may have says that there was more.
            let room = Cassette.maximumContentLength + 1 - (response?.body.bytes.count ?? 0)
            let noted = bytes.extracting(range).extracting(first: min(room, taken.count(of: range.count)))
            unsafe noted.withUnsafeBufferPointer { unsafe response?.body.bytes.append(contentsOf: $0) }
        case .end(let trailers, let discarded):
            response?.isCut = nil
            response?.trailers = [RecordedField](of: trailers)
            response?.discardedTrailers = [RecordedField](of: discarded)
            end()
        case .needMoreBytes, .handedOver: break
        }
    }

    /// Nothing follows. What has no head was no interaction.
    private func end() {
        guard let response = response.take() else { return }
        let interaction = CassetteInteraction(request: CassetteInteraction.Request(request), response: response)
        cassette.end(place, interaction, sensitiveFields)
    }
}

extension RecordedExchange {
    func exchangeBegan(on carrier: any Carrier) { delegate?.exchangeBegan(on: self) }

    var pace: Pace? { delegate?.pace }

    func room(for count: Int) -> UnsafeMutableRawBufferPointer? { unsafe delegate?.room(for: count) }

    func received(_ event: ResponseEvent, of bytes: Span<UInt8>, _ allowance: inout TickAllowance) -> ContentTaken {
        // The end of the response may end the exchange: it is noted before.
        if case .body = event {
            let taken = delegate?.received(event, of: bytes, &allowance) ?? .all
            note(event, bytes, taken)
            return taken
        }
        note(event, bytes, .all)
        return delegate?.received(event, of: bytes, &allowance) ?? .all
    }

    var takesOver: Bool { delegate?.takesOver ?? false }

    func handedOver(_ handover: Handover, _ evidence: Evidence) { delegate?.handedOver(handover, evidence) }

    func sent(_ count: Int64, of length: Int64?) { delegate?.sent(count, of: length) }

    func exchangeEnded(_ reason: SessionError.Reason?, _ evidence: Evidence) {
        end()
        delegate.take()?.exchangeEnded(reason, evidence)
    }
}

extension RecordedExchange {
    var loop: ReactorLoop { carrier.loop }

    var connectionMetrics: ConnectionMetrics? { carrier.connectionMetrics }

    var isReused: Bool { carrier.isReused }

    var isPaused: Bool {
        get { carrier.isPaused }
        set { carrier.isPaused = newValue }
    }

    func end(_ reason: SessionError.Reason) { carrier.end(reason) }

    func leave() -> Evidence {
        end()
        delegate = nil
        return carrier.leave()
    }

    func leaveRest() -> Evidence {
        end()
        delegate = nil
        return carrier.leaveRest()
    }

    func carry(_ delegate: (any ExchangeDelegate)?, _ deadlines: Deadlines?) {
        self.delegate = delegate
        carrier.carry(delegate == nil ? nil : self, deadlines)
    }
}
