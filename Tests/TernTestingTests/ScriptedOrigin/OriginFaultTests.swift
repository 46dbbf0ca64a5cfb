// SPDX-License-Identifier: Apache-2.0
import TernTesting
import Testing

@Suite(.timeLimit(.minutes(1))) struct OriginFaultTests {
    private let get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

    private func origin(_ faults: [OriginFault]) throws -> ScriptedOrigin {
        var configuration = OriginConfiguration()
        configuration.faults = faults
        return try ScriptedOrigin(configuration) { _, request in [.send("\(request.index);"), .close] }
    }

    /// What connections one after another receive, with `!` for a reset.
    private func answers(_ count: Int, of origin: ScriptedOrigin, requests: Int = 1) throws -> [String] {
        try (0..<count).map { _ in
            let client = try RawClient(port: origin.port)
            client.send(String(repeating: get, count: requests))
            let (text, end) = client.receiveAll()
            return end == .reset ? text + "!" : text
        }
    }

    @Test(
        arguments: [
            (.every(3), [3, 6, 9]), (.every(1), Array(1...9)), (.every(0), []), (.every(-2), []), (.first(2), [1, 2]),
            (.first(0), []), (.first(-1), []), (.numbers([2, 7, 100]), [2, 7]), (.numbers([]), []),
        ] as [(OriginFault.Selection, [Int])])
    func `a rule selects connections by their numbers`(selection: OriginFault.Selection, expected: [Int]) throws {
        let origin = try origin([.connections(selection, [.send("fault;"), .close])])
        let answers = try answers(9, of: origin)
        #expect(answers.indices.filter { answers[$0] == "fault;" }.map { $0 + 1 } == expected)
    }

    @Test func `steps on a connection come before those of the script, which follow if it is still open`() throws {
        var configuration = OriginConfiguration()
        configuration.faults = [
            .connections(.numbers([1]), [.reset]), .connections(.numbers([2]), [.send("fault;")]),
            .connections(.every(1), [.send("later;")]),
        ]
        let origin = try ScriptedOrigin(configuration, onAccept: { _ in [.send("accept;")] }) { _, _ in [.close] }
        #expect(try answers(3, of: origin) == ["!", "fault;accept;", "later;accept;"])
    }

    @Test func `requests are counted over all connections, and answered by the fault or after it`() throws {
        var configuration = OriginConfiguration()
        configuration.faults = [
            .requests(.numbers([2]), instead: [.send("fault;")]),
            .requests(.numbers([2, 4]), before: [.send("wait;")]),
        ]
        let origin = try ScriptedOrigin(configuration) { _, request in
            [.send("\(request.index);")] + (request.index == 2 ? [.close] : [])
        }
        #expect(try answers(2, of: origin, requests: 3) == ["0;fault;2;", "wait;0;1;2;"])
        #expect(origin.observations.requestCount == 6)
    }

    @Test func `an answer breaks off after its head, or in its content`() throws {
        let origin = try origin([
            .requests(.numbers([1]), instead: .resetAfterHead), .requests(.numbers([2]), instead: .resetInContent),
            .requests(.numbers([3]), instead: [.reset]), .requests(.numbers([4]), instead: [.close]),
        ])
        let answers = try answers(5, of: origin)
        #expect(answers[0].hasSuffix("!") && answers[1].hasSuffix("!"))
        #expect(answers[2] == "!" && answers[3].isEmpty && answers[4] == "0;")
    }
}
