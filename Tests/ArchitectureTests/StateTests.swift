// SPDX-License-Identifier: Apache-2.0
import TestProofs
import Testing

/// What changes in a class or a state machine is changed in its file.
@Suite struct StateTests {
    /// State of the engine that other files do change, and why.
    private static let open: [String: Set<String>] = [
        // The queue, the table and the pool that a member stands in.
        "Connection/Connection.swift": ["Connection.queueIndex"],
        "Task/SessionTask.swift": ["SessionTask.driver", "SessionTask.hopAttempts", "SessionTask.tableIndex"],
        "Task/AttemptDriver.swift": ["AttemptDriver.attempt", "AttemptDriver.queueIndex"],
        // Until the second attempt is over.
        "Task/SecondAttempt.swift": ["SecondAttempt.heldFailure"],
        // Used by the pool.
        "Attempt/Attempt.swift": ["Attempt.wait"],
        // Set by the owner.
        "Connection/ConnectionState.swift": ["ConnectionState.isPaused"],
        // Used up by the connection that takes it.
        "Connection/OutgoingRequest.swift": ["PreparedExchange.exchange", "PreparedExchange.outgoing"],
        "Pool/ConnectionPermits.swift": ["PermitHolder.queueIndex"],
        "Dialling/StreamOpener.swift": ["StreamOpener.respondent"],
        "Dialling/TLSHandshake.swift": ["TLSHandshake.letsServerBegin"],
        "RawStreams/RawStream.swift": ["RawStream.listener", "RawStream.whenOver"],
        // Values that the machine of a task and its lock guard.
        "Task/TaskHistory.swift": [
            "TaskHistory.chain", "TaskHistory.connection", "TaskHistory.credentialIdentity",
            "TaskHistory.responseSource", "TaskHistory.continuation", "TaskHistory.retryRefusal",
        ],
        "Task/QuestionBook.swift": [
            "PendingQuestion.ending", "PendingQuestion.response",
        ],
        "Task/TaskLifecycle.swift": [
            "TaskLifecycle.currentRequest", "TaskLifecycle.response", "TaskLifecycle.description",
            "TaskLifecycle.attachment", "TaskLifecycle.timelines",
        ],
        "Transport/Layers.swift": ["Beneath.layers"],
    ]

    @Test func `the classes and machines of the engine keep their state private, but for what is listed`() {
        for file in SourceTree.project.files where file.module == "TernEngine" {
            let listed = Self.open[String(file.path.dropFirst("TernEngine/".count))] ?? []
            #expect(file.openState == listed, "\(file.path)")
        }
    }

    @Test func `state that other files can change is found`() {
        let file = SourceFile(
            path: "M/One.swift",
            text: """
                public final class One {
                    var open = 1
                    private(set) var readable = 2
                    private var closed = 3
                    var computed: Int { closed }
                    @safe final var marked: Int
                    struct Inner {
                        var value = 4
                    }
                }
                struct Two {
                    var copied = 5
                }
                struct Three: ~Copyable {
                    var state = 6
                }
                """)
        #expect(file.openState == ["One.open", "One.marked", "Three.state"])
    }

    @Test func `the driver of a task knows no more files than it did`() throws {
        let known = try #require(SourceTree.project.acquaintances["TernEngine/Task/TaskDriver.swift"])
        #expect(known.count <= 40, "\(known.keys.sorted())")
    }
}
