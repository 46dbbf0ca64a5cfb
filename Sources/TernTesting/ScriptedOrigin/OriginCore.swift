// SPDX-License-Identifier: Apache-2.0
// Separate from `ScriptedOrigin`, because its threads retain this object: when the test releases the origin, its deinit
// still runs, and ends them.

internal import TernLibC
internal import TernLock

/// The shared state of a server's threads.
final class OriginCore: Sendable {
    /// Serves the numbered connection on its own thread until it ends; `currentHold` is opened by the next release.
    typealias Service = @Sendable (_ number: Int, _ stream: OriginStream, _ currentHold: @escaping () -> Latch) -> Void

    let log: ObservationLog
    private let service: Service
    private let context: Lock<TLSServerContext?>
    private let stopLatch: Latch
    private let holdLatch: Lock<Latch>
    private let threads = OriginThreads()

    init(
        context: TLSServerContext?, log: ObservationLog, service: @escaping Service
    ) throws(ScriptedOriginError) {
        self.service = service
        self.log = log
        self.context = Lock(context)
        stopLatch = try Latch()
        holdLatch = Lock(try Latch())
    }

    func start(_ listener: OriginListener) throws(ScriptedOriginError) {
        guard threads.start({ self.accept(on: listener) }) else { throw .system(call: "pthread_create", errno: EAGAIN) }
    }

    func stop() {
        stopLatch.open()
        threads.joinAll()
    }

    func release() throws(ScriptedOriginError) {
        let next = try Latch()
        let current = holdLatch.withLock { latch in
            defer { latch = next }
            return latch
        }
        current.open()
    }

    func use(_ context: TLSServerContext) { self.context.withLock { $0 = context } }

    private func accept(on listener: OriginListener) {
        var number = 0
        while true {
            switch listener.accept(stop: stopLatch) {
            case .stopped: return
            case .failed: stopLatch.wait(.milliseconds(10))  // out of descriptors, most likely: others must close first
            case .descriptor(let descriptor):
                number += 1
                serve(descriptor, number)
            }
        }
    }

    private func serve(_ descriptor: Int32, _ number: Int) {
        log.record {
            $0.connectionCount += 1
            $0.openConnections += 1
        }
        let started = threads.start { [self] in
            serveConnection(OriginSocket(owning: descriptor), number)
            log.record { $0.openConnections -= 1 }
        }
        if !started {
            _ = OriginSocket(owning: descriptor)
            log.record { $0.openConnections -= 1 }
        }
    }

    private func serveConnection(_ socket: consuming OriginSocket, _ number: Int) {
        let tls = context.withLock { $0 }.flatMap(TLSServerSession.init)
        let stream = OriginStream(socket, tls: tls, stop: stopLatch, log: log)
        service(number, stream) { [self] in holdLatch.withLock { $0 } }
    }
}
