// SPDX-License-Identifier: Apache-2.0
import TernHTTP1
import TernIO

/// Answers hops with recorded responses. What it does not answer fails: it is the last of its session's sources, and nothing
/// stands behind it.
final class CassettePlayer: ResponseSource {
    fileprivate let cassette: Cassette
    fileprivate let sensitiveFields: SensitiveFields

    /// Nil for a session without a cassette that plays.
    init?(of configuration: SessionConfiguration) {
        guard let cassette = configuration.cassette, cassette.isPlaying else { return nil }
        (self.cassette, sensitiveFields) = (cassette, configuration.sensitiveFields)
    }

    func need(for hop: Hop) -> SourceNeed { hop.hasServer ? .hop : .nothing }

    func part(in sourced: SourcedHop) -> (any HopSource)? { PlayedHop(sourced.hop.request, self) }
}

/// The part of a cassette in one hop.
private final class PlayedHop: HopSource {
    private let request: URLRequest
    private let player: CassettePlayer
    let kind = ResponseSourceKind.cassette

    init(_ request: URLRequest, _ player: CassettePlayer) { (self.request, self.player) = (request, player) }

    func answer() -> SourceAnswer {
        do throws(MissingRecording) {
            return .answer(PlayedAnswer(response: try player.cassette.play(request, player.sensitiveFields)))
        } catch {
            return .fail(.request(.notRecorded(error)))
        }
    }
}

/// The carrier of a recorded response.
private struct PlayedAnswer: CarrierSource {
    let response: CassetteInteraction.Response

    func start(_ delegate: any ExchangeDelegate, on loop: ReactorLoop, _ deadlines: Deadlines) {
        PlayedExchange(response, delegate, loop, deadlines).begin()
    }
}

/// Delivers a recorded response.
private final class PlayedExchange: SourcedExchange, @unchecked Sendable {
    private let response: CassetteInteraction.Response
    private var informationalCount = 0
    private var offset = 0

    init(
        _ response: CassetteInteraction.Response, _ delegate: any ExchangeDelegate, _ loop: ReactorLoop,
        _ deadlines: Deadlines
    ) {
        self.response = response
        super.init(delegate, loop, deadlines)
    }

    override func deliverNext(_ allowance: inout TickAllowance) -> Progress {
        if !isHeadDelivered { return deliverHead(&allowance) }
        let content = response.body.bytes
        if offset < content.count {
            let (taken, progress) = deliver(content.span.extracting(offset...), &allowance)
            offset += taken
            return progress
        }
        if response.isCut == true {
            finish(.transfer(.connectionLost(nil)))
            return .waiting
        }
        return deliverEnd(
            &allowance, trailers: response.trailers?.fields ?? [:], discarded: response.discardedTrailers?.fields ?? [:]
        )
    }

    private func deliverHead(_ allowance: inout TickAllowance) -> Progress {
        do throws(HTTPProtocolError) {
            if let informational = response.informational, informationalCount < informational.count {
                informationalCount += 1
                return deliver(informational: try informational[informationalCount - 1].head(), &allowance)
            }
            return deliver(try response.head.head(), &allowance)
        } catch {
            finish(.transfer(.malformedResponse(error)))
            return .waiting
        }
    }
}
