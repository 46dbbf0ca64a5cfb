// SPDX-License-Identifier: Apache-2.0
import CTestPrograms
import Dispatch
import FoundationEssentials
import Glibc
import Synchronization
import TernEngine
import TernRuntime
import TernTesting

/// A program on the reactors: does what its argument names, and says what came of it, one fact a line.
@main struct RuntimeProgram {
    static func main() async throws {
        let name = CommandLine.arguments.dropFirst().first ?? ""
        if name == "run" { return try await structured() }
        try TernRuntime.install()
        switch name {
        case "requests": try await requests()
        case "kinds": await kinds()
        case "threads": await threads()
        case "sleep": try await sleep()
        case "cancel": await cancel()
        case "storm": try await storm()
        case "blocking": try await blocking()
        case "twice": try await twice()
        case "compute": await hold { compute(.milliseconds(50)) }
        case "wait": await hold { _ = usleep(50_000) }
        case "quick": await hold {}
        default: say("no such part: \(name)")
        }
    }

    // Parts

    private static func structured() async throws {
        let (origin, session) = (try ScriptedOrigin { _, _ in [.ok("hello")] }, Session())
        let url = origin.url()
        let places = try await TernRuntime.run {
            var places = [place()]
            places += try await fetch(url, by: session, tasks: 8, each: 2)
            async let child = placeOfChild()
            places.append(await child)
            places.append(await Counter().place())
            say("main actor in run: \(await placeOnMainActor())")
            try await Task.sleep(for: .milliseconds(1))
            return places + [place()]
        }
        say("run: \(summary(places))")
        say("main actor after run: \(place())")
        say("detached: \(await Task.detached { place() }.value)")
        do {
            try await TernRuntime.run { () async throws(Refusal) -> Void in throw Refusal() }
        } catch {
            say("error: \(error)")
        }
    }

    private static func requests() async throws {
        let (origin, session) = (try ScriptedOrigin { _, _ in [.ok("hello")] }, Session())
        say("requests: \(summary(try await fetch(origin.url(), by: session, tasks: 64, each: 4)))")
    }

    private static func kinds() async {
        say("task: \(await Task { @concurrent in place() }.value)")
        say("detached: \(await Task.detached(priority: .background) { place() }.value)")
        say("actor: \(await Counter().place())")
        say("child: \(await placeOfChild())")
        say("group: \(summary(await group(of: 100)))")
        say("main actor: \(await placeOnMainActor())")
        let counter = Counter()
        await withDiscardingTaskGroup { tasks in
            for _ in 0..<1000 { tasks.addTask { await counter.count() } }
        }
        say("counted: \(await counter.value)")
    }

    /// Enqueues from threads that are no reactors.
    private static func threads() async {
        let finished = Total()
        await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
            for _ in 0..<4 {
                DispatchQueue.global().async {
                    for _ in 0..<2500 {
                        Task.detached {
                            await Task.yield()
                            if finished.add() == 10_000 { done.resume() }
                        }
                    }
                }
            }
        }
        say("finished: \(finished.value)")
    }

    private static func sleep() async throws {
        try await measureSleep("continuous clock") { try await Task.sleep(for: $0, clock: .continuous) }
        try await measureSleep("suspending clock") { try await Task.sleep(for: $0, clock: .suspending) }
        try await measureSleep("nanoseconds") { try await Task.sleep(nanoseconds: UInt64($0 / .nanoseconds(1))) }
    }

    /// The greatest lateness says little on a machine that is busy; the least one says how late a sleep always is.
    @concurrent
    private static func measureSleep(_ name: String, _ sleep: (Duration) async throws -> Void) async throws {
        var least = Duration.seconds(100)
        for milliseconds in [1, 2, 5, 9, 14, 20, 33, 50] {
            let wanted = Duration.milliseconds(milliseconds)
            let start = ContinuousClock.now
            try await sleep(wanted)
            let late = start.duration(to: .now) - wanted
            if late < .zero { say("\(name): early by \(late)") }
            least = min(least, late)
        }
        say("\(name): \(least <= .milliseconds(6) ? "in time" : "late by \(least)")")
    }

    private static func cancel() async {
        func round(_ duration: Duration) async {
            await withDiscardingTaskGroup { tasks in
                for _ in 0..<10_000 { tasks.addTask { try? await Task.sleep(for: duration) } }
                await Task.yield()
                tasks.cancelAll()
            }
        }
        let start = ContinuousClock.now
        await round(.seconds(3600))
        say("an hour's sleeps ended \(start.duration(to: .now) < .seconds(30) ? "at once" : "late")")
        var sizes: [Int] = []
        for _ in 0..<8 {
            await round(.milliseconds(100))
            // What a sleep holds is released at its time.
            try? await Task.sleep(for: .milliseconds(250))
            sizes.append(Int(tern_allocated_bytes()))
        }
        // Ten thousand leaked sleeps would make each round grow by more than this; what a round makes the process keep
        // for later ones, or holds for a moment, does not.
        let growth = zip(sizes.dropFirst(), sizes).map(-).min() ?? 0
        say("leaked: \(growth < 100_000 ? "nothing" : "\(sizes)")")
    }

    private static func storm() async throws {
        let (origin, session) = (try ScriptedOrigin { _, _ in [.ok("hello")] }, Session())
        let url = origin.url()
        let ended = Total()
        try await withThrowingDiscardingTaskGroup { tasks in
            for _ in 0..<200 {
                tasks.addTask { while ended.value == 0 { await Task.yield() } }
            }
            tasks.addTask {
                defer { _ = ended.add() }
                say("storm: \(summary(try await fetch(url, by: session, tasks: 4, each: 25)))")
            }
        }
    }

    private static func blocking() async throws {
        let (origin, session) = (try ScriptedOrigin { _, _ in [.ok("hello")] }, Session())
        let url = origin.url()
        // If one of them held up the reactor, no request would complete and nothing would open the gate.
        let gate = DispatchSemaphore(value: 0)
        try await withThrowingTaskGroup(of: String.self) { tasks in
            for _ in 0..<20 {
                tasks.addTask {
                    await TernRuntime.blocking {
                        gate.wait()
                        return place()
                    }
                }
            }
            say("beside them: \(summary(try await fetch(url, by: session, tasks: 8, each: 4)))")
            for _ in 0..<20 { gate.signal() }
            var places: [String] = []
            for try await place in tasks { places.append(place) }
            say("blocked: \(summary(places))")
        }
        do {
            try await TernRuntime.blocking { () throws(Refusal) in throw Refusal() }
        } catch {
            say("error: \(error)")
        }
    }

    private static func twice() async throws {
        let before = reactorThreads()
        try TernRuntime.install()
        say("more threads: \(reactorThreads() - before)")
        say("task: \(await Task.detached { place() }.value)")
    }

    private static func hold(_ work: @escaping @Sendable () -> Void) async {
        await Task.detached { work() }.value
        say("done")
    }
}

private final class Total: Sendable {
    private let count = Atomic<Int>(0)
    var value: Int { count.load(ordering: .relaxed) }
    func add() -> Int { count.wrappingAdd(1, ordering: .relaxed).newValue }
}

private struct Refusal: Error {}

private actor Counter {
    private(set) var value = 0
    func count() async {
        value += 1
        await Task.yield()
    }
    func place() -> String { CurrentThread.name }
}

private func place() -> String { CurrentThread.name }

@concurrent
private func placeOfChild() async -> String { place() }

@MainActor
private func placeOnMainActor() -> String { place() }

private func group(of count: Int) async -> [String] {
    await withTaskGroup(of: String.self) { tasks in
        for _ in 0..<count { tasks.addTask { place() } }
        return await tasks.reduce(into: []) { $0.append($1) }
    }
}

/// Where each task was after each answer.
private func fetch(_ text: String, by session: Session, tasks: Int, each: Int) async throws -> [String] {
    guard let url = URL(string: text) else { return [] }
    return try await withThrowingTaskGroup(of: [String].self) { group in
        for _ in 0..<tasks {
            group.addTask {
                var places: [String] = []
                for _ in 0..<each {
                    let (data, _) = try await session.data(from: url)
                    places.append(data.count == 5 ? place() : "a wrong answer")
                }
                return places
            }
        }
        return try await group.reduce(into: []) { $0 += $1 }
    }
}

private enum CurrentThread {
    /// The kind of thread that this code runs on.
    static var name: String {
        var bytes = [CChar](repeating: 0, count: 16)
        unsafe tern_get_thread_name(&bytes)
        let name = String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return name.hasPrefix("tern-reactor-")
            ? "a reactor" : name == "tern-blocking" ? "a thread of its own" : "elsewhere"
    }
}

private func summary(_ places: [String]) -> String {
    let counts = Dictionary(grouping: places) { $0 }.mapValues(\.count)
    return counts.sorted { $0.key < $1.key }.map { "\($0.value) on \($0.key)" }.joined(separator: ", ")
}

private func reactorThreads() -> Int {
    guard let folder = unsafe opendir("/proc/self/task") else { return -1 }
    defer { unsafe closedir(folder) }
    var count = 0
    while unsafe readdir(folder) != nil { count += 1 }
    return count
}

private func compute(_ duration: Duration) {
    var spent = timespec()
    let milliseconds = { () -> Int in
        _ = unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &spent)
        return spent.tv_sec * 1000 + spent.tv_nsec / 1_000_000
    }
    let start = milliseconds()
    while milliseconds() - start < Int(duration / .milliseconds(1)) {}
}

private func say(_ text: String) { print(text) }
