// SPDX-License-Identifier: Apache-2.0
import TernHTTP1
import TernIO

// Reports of diallers and connections
extension ConnectionPool {
    /// The pool as its diallers and connections use it.
    var dialOwner: AnyDialOwner {
        AnyDialOwner(
            AnyDialOwner.Calls(
                isAwaited: { self.isAwaited }, free: { self.connectionFree($0) },
                closed: { self.connectionClosed($0, wasResting: $1) }, opened: { self.dialler($0, opened: $1) },
                failed: { self.dialler($0, failed: $1) }, respondent: { self.respondent(of: $0) }))
    }

    func dialler(_ dialler: Dialler, opened connection: Connection) {
        if connection.servesOneExchange { return serveOne(dialler, connection) }
        attempts[dialler.number] = nil
        if isClosed { return connection.close() }
        connections[ObjectIdentifier(connection)] = connection
        passOverCancelled()
        let (task, orders) = state.opened(dialler.number, connection)
        carryOut(orders)
        if let task { serve(task, connection) } else { connection.rest() }
    }

    /// A delegate accepted the server despite the policies: the connection is for the task that the answer was given
    /// for, or for no task.
    private func serveOne(_ dialler: Dialler, _ connection: Connection) {
        passOverCancelled()
        guard !isClosed, let task = state.reliant(on: dialler.number), dialler.inquiry?.isOver(for: task) == true
        else {
            connection.close()
            return self.dialler(dialler, failed: DialFailure(reason: .cancelled, phase: .tls))
        }
        attempts[dialler.number] = nil
        connections[ObjectIdentifier(connection)] = connection
        carryOut(state.openedForReliant(dialler.number))
        serve(task, connection)
    }

    /// Whether the task that relies on the connection fails, even if the connection was begun for another: its timeout
    /// passed, or its own delegate has answered.
    private func isFinal(_ dialler: Dialler) -> Bool {
        guard let task = state.reliant(on: dialler.number) else { return false }
        if dialler.inquiry?.isOver(for: task) == true { return true }
        return task.wait.connectDeadline.map { $0 <= shared.loop.now } ?? false
    }

    /// The task that relies on the connection.
    func respondent(of dialler: Dialler) -> (any TrustRespondent)? { state.reliant(on: dialler.number) }

    func dialler(_ dialler: Dialler, failed failure: DialFailure) {
        // A connection that was given up in the meantime does not count.
        guard attempts.removeValue(forKey: dialler.number) != nil, !isClosed else { return }
        let (task, orders) = state.failedToOpen(dialler.number, isFinal: isFinal(dialler))
        carryOut(orders)
        if let task {
            stopWaiting(task)
            task.connectionFailed(failure)
        }
        tellIfEmpty()
    }

    /// Whether a task waits for a connection.
    var isAwaited: Bool { state.isAwaited }

    func connectionFree(_ connection: Connection) {
        if isClosed { return connection.close() }
        if isOutdated(connection) {
            connection.close()
            return connectionClosed(connection, wasResting: false)
        }
        passOverCancelled()
        switch state.released(connection) {
        case .serve(let task, let orders):
            carryOut(orders)
            serve(task, connection)
        case .keep: connection.rest()
        case .replace(let orders):
            connections[ObjectIdentifier(connection)] = nil
            connection.close()
            carryOut(orders)
        }
    }

    func connectionClosed(_ connection: Connection, wasResting: Bool) {
        guard connections.removeValue(forKey: ObjectIdentifier(connection)) != nil else { return }
        if wasResting { state.lostIdle(connection) } else { state.lostLeased() }
        openSoon()
        tellIfEmpty()
    }
}
