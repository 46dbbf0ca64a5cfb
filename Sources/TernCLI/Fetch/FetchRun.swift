// SPDX-License-Identifier: Apache-2.0
import TernEngine

/// Runs a command that sends requests, from its options to its end: all URLs of all groups, one after another, or as many
/// at a time as the options say.
struct FetchRun {
    /// The method of the command; nil leaves it to the options.
    let method: String?
    let options: RunOptions
    /// Whether the progress is that of the upload rather than the response.
    var showsUpload = false

    func run() async throws {
        let (messages, parallel) = (options.global.messages, options.global.parallel)
        let groups = try options.groups.map { try $0.withNeededTrust() }
        let files = try RunFiles(groups, options.global)
        let meter = parallel.isParallel && messages.showsProgress ? TransferMeter() : nil
        let fetches = try groups.map { group in
            let planner = try FetchPlanner(options: group, command: method, isSilent: messages.isSilent, files.sessions)
            if let option = group.accepted.otherVersion, messages.isVerbose {
                StandardStreams.tell("* \(option): tern speaks HTTP/1.1")
            }
            return FetchGroup(
                planner: planner,
                fetcher: try Fetcher(planner, messages, meter: meter, showsUpload: showsUpload))
        }
        // Wrong usage in a later group is told before anything is sent.
        for fetch in fetches.dropFirst() {
            var first = FetchSequence([fetch])
            _ = try first.next()
        }
        let status = try await files.saved {
            let status = try await run(FetchSequence(fetches))
            meter?.finish()
            for fetch in fetches { try fetch.fetcher.finish() }
            return status
        }
        if status != .success { throw ExitCode(status.rawValue) }
    }

    /// Returns the status of the last transfer; of those side by side that of the last one that failed, and with
    /// `--fail-early` that of the first.
    private func run(_ fetches: consuming FetchSequence) async throws -> ExitStatus {
        let parallel = options.global.parallel
        var rest = fetches
        return try await withThrowingTaskGroup(of: ExitStatus.self) { transfers in
            var (running, last) = (0, ExitStatus.success)
            while true {
                while running < parallel.width, let fetch = try rest.next() {
                    transfers.addTask { try await fetch.run() }
                    running += 1
                }
                guard let status = try await transfers.next() else { return last }
                running -= 1
                if status == .success, parallel.isParallel { continue }
                last = status
                if status == .success { continue }
                if parallel.failsEarly {
                    transfers.cancelAll()
                    return last
                }
            }
        }
    }
}

/// What the requests of a run share, and what is written when they are done.
struct RunFiles {
    let sessions: SessionRegistry
    private let cookies: FetchCookies?
    private let recorder: RunRecorder

    /// - Parameter observers: of the sessions, beside those that the options ask for.
    init(_ groups: [FetchOptions], _ options: GlobalOptions, observers: [any SessionObserver] = []) throws {
        try options.messages.redirectErrors()
        cookies = try FetchCookies(groups, isSilent: options.messages.isSilent)
        recorder = try RunRecorder(options.record)
        sessions = SessionRegistry(
            isSilent: options.messages.isSilent, cookies: cookies?.storage, rate: options.rate.requestRate,
            width: options.parallel.width, observers: recorder.observers + observers)
    }

    /// Runs what a command does, and then writes the files, however it ended. The first failure is the one that is thrown.
    func saved<Value>(_ run: () async throws -> Value) async throws -> Value {
        let value: Value
        do { value = try await run() } catch {
            try? save()
            throw error
        }
        try save()
        return value
    }

    private func save() throws {
        let outcomes = [
            Result { try cookies?.save() }, Result { try sessions.save() }, Result { try recorder.write() },
        ]
        for outcome in outcomes { try outcome.get() }
    }
}

/// A group of options, ready to run.
struct FetchGroup {
    let planner: FetchPlanner
    let fetcher: Fetcher
}

/// The transfers of all groups, each planned when it is asked for.
struct FetchSequence {
    private var groups: ArraySlice<FetchGroup>
    private var targets: TargetSequence?
    private var index = 0
    /// The number of URLs in the groups before.
    private var earlierURLs = 0

    init(_ groups: [FetchGroup]) {
        self.groups = groups[...]
        targets = groups.first?.planner.options.targets
    }

    /// - Throws: a usage error, which ends the run.
    mutating func next() throws -> Fetch? {
        while let group = groups.first {
            guard let target = targets?.next() else {
                earlierURLs += group.planner.options.urls.count
                groups = groups.dropFirst()
                targets = groups.first?.planner.options.targets
                continue
            }
            defer { index += 1 }
            let plan = Result {
                try group.planner.plan(try target.get(), index: index, behind: earlierURLs)
            }
            if case .failure(let error as UsageError) = plan { throw error }
            return Fetch(fetcher: group.fetcher, plan: plan)
        }
        return nil
    }
}

/// One transfer of a run, or why it cannot be made.
struct Fetch: Sendable {
    fileprivate let fetcher: Fetcher
    fileprivate let plan: Result<PlannedFetch, any Error>

    fileprivate func run() async throws -> ExitStatus {
        switch plan {
        case .success(let plan): try await fetcher.fetch(plan)
        case .failure(let error): fetcher.report(error)
        }
    }
}
