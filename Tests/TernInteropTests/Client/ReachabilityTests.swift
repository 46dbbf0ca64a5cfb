// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestProofs
import Testing

/// Links and routes that come and go, in a network of the test's own.
@Suite(.timeLimit(.minutes(2))) struct ReachabilityTests {
    @Test(
        .proves("1.20e", "10.3d"),
        .enabled("no network of one's own can be made here") { await NetworkNamespace.isAvailable() })
    func `each change is reported once: a link, a route, a modem, and their end`() async throws {
        let program = try TernTool.builtPrograms.appending(path: "ReachabilityWatch")
        let network = try await NetworkNamespace(running: program, "10.9.8.7", "127.0.0.1", "fd00::7", "localhost")
        var seen: [String] = []
        func expect(_ lines: String..., sourceLocation: SourceLocation = #_sourceLocation) async {
            seen += lines
            let expected = seen.sorted()
            let came = await network.output.waitFor(.seconds(60)) {
                Set(expected).isSubset(of: Set($0)) && $0.count >= expected.count
            }
            #expect(came, "\(network.output.lines)", sourceLocation: sourceLocation)
            #expect(network.output.lines.sorted() == expected, sourceLocation: sourceLocation)
        }
        await expect(
            "world not reachable", "10.9.8.7 not reachable", "127.0.0.1 by a link", "fd00::7 not reachable",
            "localhost by a link", "AF notReachable")
        try network.run(
            "ip link set lo up; ip link add v0 type veth peer name v1; ip link set v1 up; ip link set v0 up")
        try network.run("ip address add 10.9.8.1/24 dev v0")
        await expect("10.9.8.7 by a link")
        try network.run("ip route add default via 10.9.8.2")
        await expect("world by a link", "AF reachableViaWiFi")
        try network.run("ip -6 address add fd00::1/64 dev v0 nodad")
        await expect("fd00::7 by a link")
        try network.run("ip route add blackhole 10.9.8.7")
        await expect("10.9.8.7 not reachable")
        try network.run("ip route del blackhole 10.9.8.7")
        await expect("10.9.8.7 by a link")
        try network.run("ip link set v0 down")
        await expect("world not reachable", "10.9.8.7 not reachable", "fd00::7 not reachable", "AF notReachable")
        try network.run("ip link set v0 name wwan0; ip link set wwan0 up; ip route add default via 10.9.8.2")
        await expect("10.9.8.7 by a modem", "world by a modem", "AF reachableViaWWAN")
    }
}
