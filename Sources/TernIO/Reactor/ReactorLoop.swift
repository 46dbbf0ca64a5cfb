// SPDX-License-Identifier: Apache-2.0
import CTernLinux
import TernLibC
import Synchronization

/// The loop that a reactor's thread runs, and its registrations.
///
/// `execute`, `enqueue`, `waitingJobs`, `join`, `stop`, `runWhileAsleep` and `isCurrent` may be used from any thread.
/// Everything else belongs to the loop's own thread, or to one that runs work in its place, and asserts so in debug
/// builds; that rule is why `@unchecked Sendable` is sound.
@safe
public final class ReactorLoop: @unchecked Sendable {
    /// The size of the scratch buffer, in bytes.
    public static let bufferSize = 256 * 1024
    /// The size of the receive buffer, in bytes. The part that nothing was ever received into takes no memory.
    public static let receiveBufferSize = 4 * bufferSize
    private static let eventCapacity = 512
    /// The maximum number of continuations resumed in one batch: other processors are idle while a batch collects.
    private static let resumedAtOnce = 32
    /// The maximum number of consecutive ticks with further arrivals before the readers are called.
    private static let ticksWithoutReaders: UInt64 = 4
    /// Arrivals pause for patient readers, in nanoseconds, if nothing arrives for this long: about ten times what waking
    /// a thread takes.
    private static let pause = 200_000
    /// The maximum time before they are called if arrivals do not pause.
    private static let patience = Duration.milliseconds(1)
    /// The maximum duration of a tick before further visits are left to the next one. It affects only when work is
    /// done, never which.
    private static let visitTime = Duration.milliseconds(1)

    let epoll: Descriptor
    /// The clock of the deadlines; nil for the kernel's, by which the loop divides its own time in any case.
    private let clock: TestClock?
    private let mailbox: Mailbox
    private let thread = Atomic<UInt>(0)
    /// An estimate, which other threads read in order to choose a loop.
    private let jobCount = Atomic<Int>(0)
    /// Locked except while the loop sleeps.
    private let tickLock = TickLock()
    private var isAsleep = false
    /// When the loop wakes without a signal.
    private var wakingTick: Int64?
    // Unchecked: these values run no other code and release nothing while they are accessed; the caller releases what
    // they give up, so accesses never overlap.
    @safe @exclusivity(unchecked) private var registrations = RegistrationTable()
    @safe @exclusivity(unchecked) private var wheel: DeadlineWheel
    /// Work that is due and not yet run. In each tick the loop runs a part of each queue, and then polls the sockets.
    @safe @exclusivity(unchecked) private var jobs = WorkQueue<ReactorJob>()
    @safe @exclusivity(unchecked) private var mail = WorkQueue<Mailbox.Item>()
    @safe @exclusivity(unchecked) private var expired = WorkQueue<UInt32>()
    /// The requested visits, in order; this number of them was requested before this tick.
    @safe @exclusivity(unchecked) private var visits = WorkQueue<RegistrationToken>()
    private var dueVisits = 0
    /// Continuations and work for the end of the tick.
    @safe @exclusivity(unchecked) private var resumptions = WorkQueue<Resumption>()
    @safe @exclusivity(unchecked) private var current = Tick(start: .now)
    /// Set as the thread starts, and only read by it.
    @safe @exclusivity(unchecked) private var executors: ReactorJob.Executors?
    private let events: UnsafeMutableBufferPointer<epoll_event>

    private struct Tick {
        var start: MonotonicInstant
        var number: UInt64 = 0
        var readyCount = 0
    }

    /// The readers of messages that are still arriving, and the tick and its start since which the first of them could
    /// have been called.
    @safe @exclusivity(unchecked) private var readers = WorkQueue<any ArrivalReader>()
    private var readersSince = (tick: UInt64(0), start: MonotonicInstant(nanoseconds: 0))
    /// Whether none of them is hasty.
    private var arePatient = true

    /// The time at which the current tick began: cheap, but outdated by the work since. Code that has computed for long
    /// reads `exactNow`.
    public var now: MonotonicInstant { current.start }
    /// The time now by the clock of the deadlines. Of a test clock that of the tick. On any thread.
    public var exactNow: MonotonicInstant { clock == nil ? .now : .now(by: clock) }
    /// The number of ticks of the loop.
    public var tick: UInt64 { current.number }
    /// The number of sockets that were ready when the current tick began: they share its time.
    public var readyCount: Int { current.readyCount }

    /// The buffer that sockets receive into. Lent for the duration of one `ready` call; connections own no buffer while
    /// idle.
    public let receiveBuffer: UnsafeMutableRawBufferPointer
    /// The buffer for decrypted bytes; lent like `receiveBuffer`.
    public let scratchBuffer: UnsafeMutableRawBufferPointer

    /// - Parameter clock: has the time of all deadlines; nil for the kernel's.
    init(clock: TestClock? = nil) throws(SystemCallError) {
        let mailbox = try Mailbox()
        self.clock = clock
        if let clock { current.start = clock.now }
        epoll = Descriptor(owning: try SystemCall.run(.epollCreate1) { epoll_create1(Int32(EPOLL_CLOEXEC)) })
        self.mailbox = mailbox
        wheel = DeadlineWheel(now: current.start)
        unsafe events = .allocate(capacity: Self.eventCapacity)
        unsafe receiveBuffer = .allocate(byteCount: Self.receiveBufferSize, alignment: 64)
        unsafe scratchBuffer = .allocate(byteCount: Self.bufferSize, alignment: 64)
        try control(EPOLL_CTL_ADD, mailbox.wakeUp.rawValue, EPOLLIN.rawValue | EPOLLET.rawValue, Self.wakeUpUserData)
        clock?.add(self)
    }

    deinit {
        unsafe events.deallocate()
        unsafe receiveBuffer.deallocate()
        unsafe scratchBuffer.deallocate()
    }

    // No registration has this slot: the table would need 2³² of them.
    private static let wakeUpUserData = UInt64.max

    /// Whether the caller runs on this loop's thread.
    public var isCurrent: Bool { thread.load(ordering: .relaxed) == UInt(pthread_self()) }

    /// Whether work for this thread may be performed within the call: not while somebody is told what happens.
    public var performsNow: Bool { isCurrent && !isTelling }

    /// Whether `telling` runs.
    private var isTelling = false

    /// Runs code of the program that is told what happens, in the midst of it: what it asks for is performed in a later tick.
    public func telling(_ body: () -> Void) {
        let wasTelling = beginTelling()
        body()
        endTelling(wasTelling)
    }

    /// The same for what follows until `endTelling`, which gets what this returns.
    package func beginTelling() -> Bool {
        defer { isTelling = true }
        return isTelling
    }

    package func endTelling(_ wasTelling: Bool) { isTelling = wasTelling }

    /// Runs `work` on the loop's thread, after earlier work. On any thread.
    ///
    /// Returns false, and drops `work`, if the loop has ended because its reactor has no references left.
    @discardableResult
    public func execute(_ work: @escaping @Sendable () -> Void) -> Bool {
        mailbox.send(.work(work))
    }

    func enqueue(_ job: ReactorJob) {
        if isCurrent {
            jobs.append(job)
        } else {
            jobCount.wrappingAdd(1, ordering: .relaxed)
            let isTaken = mailbox.send(.job(job))
            assert(isTaken, "a job outlived the reactor that its task retains")
        }
    }

    /// Enqueues `job` at `deadline`, or up to 5 ms later. The loop must not end before.
    func enqueue(_ job: ReactorJob, at deadline: MonotonicInstant) {
        if isCurrent {
            JobTimer(job, on: self).start(deadline)
        } else {
            let isTaken = execute { JobTimer(job, on: self).start(deadline) }
            assert(isTaken, "a job outlived the reactor that it waits on")
        }
    }

    /// About how many jobs have not been run: 0 while the loop sleeps, and at least 1 while it runs one.
    var waitingJobs: Int { jobCount.load(ordering: .relaxed) }

    /// Resumes `continuation` before the loop waits again, together with the others of the same tick, so that a
    /// sleeping thread pool is woken once instead of for each of them. On other threads, immediately.
    ///
    /// Safety: as for `UnsafeContinuation.resume()`.
    @unsafe package func resume(_ continuation: UnsafeContinuation<Void, Never>) {
        guard isCurrent else { return unsafe continuation.resume() }
        unsafe resumptions.append(.continuation(continuation))
        if resumptions.count == Self.resumedAtOnce { resumeWaiting() }
    }

    /// Calls `reader` at the end of a tick, as soon as arrivals pause: waking a thread costs more than receiving further
    /// bytes, and the reader then finds more of them. Arrivals pause for a patient reader when no socket has been ready
    /// for 0.2 ms, and for others when none is ready; after a millisecond, or a few ticks, the reader is called anyway. On
    /// other threads, immediately.
    package func callWhenQuiet(_ reader: any ArrivalReader, isPatient: Bool) {
        guard isCurrent else { return reader.arrivalsPaused() }
        if readers.isEmpty { (readersSince, arePatient) = ((tick, now), true) }
        if !isPatient { arePatient = false }
        readers.append(reader)
    }

    /// Runs `work` at the end of the tick, before the loop waits again: a thread that it wakes then does not compete
    /// with the loop for a processor. On other threads, immediately.
    package func afterTick(_ work: @escaping @Sendable () -> Void) {
        if isCurrent { resumptions.append(.work(work)) } else { work() }
    }

    /// A resumed task may run elsewhere at once.
    private func resumeWaiting() {
        while let resumption = resumptions.popFirst() { resumption.run() }
        if readers.isEmpty || readyCount > 0 && !haveReadersWaitedLong { return }
        // One that asks again waits for the next pause.
        for _ in 0..<readers.count { readers.popFirst()?.arrivalsPaused() }
        readersSince = (tick, now)
    }

    private var haveReadersWaitedLong: Bool {
        arePatient && clock == nil
            ? now >= readersSince.start.advanced(by: Self.patience)
            : tick &- readersSince.tick >= Self.ticksWithoutReaders
    }

    /// The jobs of this group that come later run as its own. On any thread.
    func join(_ group: UnownedTaskExecutor) {
        execute { unsafe self.executors?.group = group }
    }

    func stop() { mailbox.stop() }

    /// The clock of the deadlines has another time. On any thread.
    func clockMoved() { mailbox.wake() }

    /// Not `exactNow`, which is that of the tick.
    private var timeOfNextTick: MonotonicInstant {
        if clock == nil { return .now }
        return clock?.now ?? .now
    }

    /// Runs `work` in place of the loop's thread if that sleeps, and returns whether it did: waking the thread would
    /// cost more than a small request. Wakes it only if work is left, or a deadline comes before its next wake-up. On
    /// any thread.
    ///
    /// `work` may do what the loop's thread may do, and must not wait for that thread.
    package func runWhileAsleep(_ work: () -> Void) -> Bool {
        guard tickLock.tryLock() else { return false }
        defer { tickLock.unlock() }
        guard isAsleep else { return false }
        let sleeper = thread.exchange(UInt(pthread_self()), ordering: .relaxed)
        defer { thread.store(sleeper, ordering: .relaxed) }
        current.start = timeOfNextTick
        wheel.advance(to: now, expired: &expired)
        let hadReaders = !readers.isEmpty
        work()
        if hasWork || !hadReaders && !readers.isEmpty || wheel.isDue(before: wakingTick) { mailbox.wake() }
        return true
    }
}

// The loop
extension ReactorLoop {
    /// Runs until `stop`, on the calling thread.
    func run(_ executors: ReactorJob.Executors) {
        self.executors = executors
        tickLock.lock()
        defer { tickLock.unlock() }
        thread.store(UInt(pthread_self()), ordering: .relaxed)
        while true {
            let count = poll()
            current = Tick(start: timeOfNextTick, number: tick &+ 1, readyCount: count)
            dueVisits = visits.count
            for index in 0..<count {
                let event = unsafe events[index]
                unsafe dispatch(userData: event.data.u64, events: event.events)
            }
            visit()
            expireDeadlines()
            deliverMail()
            resumeWaiting()
            runJobs()
            if !hasWork, readers.isEmpty, mailbox.mayEnd() { break }
        }
        deregisterAll()
        thread.store(0, ordering: .relaxed)
    }

    /// Handlers may retain the loop; the table must not retain them in return once they are no longer called.
    private func deregisterAll() {
        for token in registrations.tokens { deregister(token) }
    }

    private func poll() -> Int {
        // Set within this tick, and due: the next time may never come.
        if clock != nil { wheel.expire(by: now, expired: &expired) }
        guard !hasWork, readers.isEmpty || arePatient, mailbox.mayEnterSleep() else { return wait(0) }
        jobCount.store(0, ordering: .relaxed)
        let timeout = timeUntilDeadline()
        let waitsForPause = !readers.isEmpty && timeout != 0
        isAsleep = true
        tickLock.unlock()
        // A thread that runs work meanwhile may close a ready descriptor: tokens are not reused.
        let count = waitsForPause ? waitForPause() : wait(timeout)
        tickLock.lock()
        isAsleep = false
        return count
    }

    /// For epoll_wait: -1 for no time in particular. Called when the next sender, and a clock that moves, wakes the loop.
    private func timeUntilDeadline() -> Int32 {
        if clock != nil {
            wakingTick = nil
            return timeOfNextTick == now ? -1 : 0
        }
        wakingTick = wheel.nextTick
        // Not `now`: the duration of the tick so far would be added to the wait.
        return wakingTick.map { DeadlineWheel.milliseconds(until: $0, now: .now) } ?? -1
    }

    private func wait(_ timeout: Int32) -> Int {
        let count = unsafe epoll_wait(epoll.rawValue, events.baseAddress, Int32(Self.eventCapacity), timeout)
        assert(count >= 0 || errno == EINTR)
        return max(0, Int(count))
    }

    /// On older kernels, or where a sandbox refuses the call, arrivals pause when no socket is ready.
    private func waitForPause() -> Int {
        let count = unsafe tern_epoll_wait(
            epoll.rawValue, events.baseAddress, Int32(Self.eventCapacity), Self.pause)
        return count < 0 && errno != EINTR ? wait(0) : max(0, Int(count))
    }

    private func dispatch(userData: UInt64, events: UInt32) {
        if userData == Self.wakeUpUserData { return }
        // Nil if an earlier handler of this batch paused it: the next batch would not have reported it either.
        registrations.handler(toTell: RegistrationToken(userData: userData))?.ready(Readiness(epoll: events))
    }

    /// At least one, so that every queue makes progress, and then as many as there is time for.
    private func visit() {
        if dueVisits == 0 { return }
        let end = (clock == nil ? now : .now).advanced(by: Self.visitTime)
        repeat {
            dueVisits -= 1
            if let token = visits.popFirst() { registrations.handler(toTell: token)?.ready(.visit) }
        } while dueVisits > 0 && MonotonicInstant.now < end
    }

    /// Whether work waits for the next tick.
    private var hasWork: Bool {
        !(jobs.isEmpty && mail.isEmpty && expired.isEmpty && visits.isEmpty && resumptions.isEmpty)
    }

    private func expireDeadlines() {
        wheel.advance(to: now, expired: &expired)
        if clock != nil { wheel.expire(by: now, expired: &expired) }
        var budget = TickBudget()
        // A handler may end another registration or change its deadline: check again before each handler.
        while budget.spend(), let slot = expired.popFirst() {
            if wheel.takeExpired(slot) { registrations.handler(in: slot)?.ready(.deadline) }
        }
    }

    private func deliverMail() {
        if mail.isEmpty { mailbox.collect(into: &mail) }
        var budget = TickBudget()
        while budget.spend(), let item = mail.popFirst() {
            switch item {
            case .job(let job): jobs.append(job)
            case .work(let work): work()
            }
        }
        jobCount.store(jobs.count &+ mail.count, ordering: .relaxed)
    }

    private func runJobs() {
        // A job may run any code: two that take long are enough for a tick.
        var budget = TickBudget(itemsPerClockRead: 1)
        guard let executors else { return }
        while budget.spend(), let job = jobs.popFirst() {
            #if DEBUG
                let watch = job.watch()
                defer { watch?.end() }
            #endif
            job.run(on: executors)
        }
    }
}

// Registrations
extension ReactorLoop {
    /// Watches `descriptor`, which must outlive the registration. The loop retains `handler` until `deregister`.
    public func register(
        _ descriptor: borrowing Descriptor, interest: Interest, handler: any ReadinessHandler
    ) throws(SystemCallError) -> RegistrationToken {
        assert(isCurrent)
        let token = registrations.add(descriptor.rawValue, handler)
        do {
            try setInterest(interest, for: token)
        } catch {
            deregister(token)
            throw error
        }
        return token
    }

    /// Adds a registration that has a deadline and no descriptor.
    public func registerTimer(handler: any ReadinessHandler) -> RegistrationToken {
        assert(isCurrent)
        return registrations.add(-1, handler)
    }

    /// Transfers a registration to another handler. Calls epoll only if the interest changes.
    public func transfer(
        _ token: RegistrationToken, to handler: any ReadinessHandler, interest: Interest
    ) throws(SystemCallError) {
        let replaced = registrations.exchangeHandler(of: token, for: handler)
        defer { withExtendedLifetime(replaced) {} }
        try setInterest(interest, for: token)
    }

    /// Changes what the registration waits for; an unchanged interest makes no system call.
    public func setInterest(_ interest: Interest, for token: RegistrationToken) throws(SystemCallError) {
        assert(isCurrent)
        guard let (old, descriptor) = registrations.setInterest(interest, for: token) else { return }
        let operation = old.isEmpty ? EPOLL_CTL_ADD : interest.isEmpty ? EPOLL_CTL_DEL : EPOLL_CTL_MOD
        do throws(SystemCallError) {
            // A timer has no interest.
            guard descriptor >= 0 else { throw SystemCallError(.epollCtl, code: EBADF) }
            try control(operation, descriptor, interest.epollEvents, token.userData)
        } catch {
            _ = registrations.setInterest(old, for: token)
            throw error
        }
    }

    /// Calls the registration's handler with `.visit` in one of the next ticks, to split work that would delay other
    /// connections if it were done within one tick. Has no effect if the registration has ended by then, or has an
    /// empty interest.
    public func visitLater(_ token: RegistrationToken) {
        assert(isCurrent)
        visits.append(token)
    }

    /// Sets the one deadline of a registration, or clears it with nil: a time of the loop's clock. It fires never early,
    /// and at most about 5 ms late, by a test clock not late either.
    public func setDeadline(_ deadline: MonotonicInstant?, for token: RegistrationToken) {
        assert(isCurrent)
        guard registrations.contains(token) else { return }
        wheel.set(deadline, slot: token.slot)
    }

    /// Ends a registration. Call it before the descriptor closes. Events already collected for it are dropped.
    public func deregister(_ token: RegistrationToken) {
        assert(isCurrent)
        guard let ended = registrations.remove(token) else { return }
        defer { withExtendedLifetime(ended) {} }
        wheel.set(nil, slot: token.slot)
        if ended.interest.isEmpty { return }
        // Fails only if the descriptor is closed already; then epoll has removed it.
        try? control(EPOLL_CTL_DEL, ended.descriptor, 0, 0)
    }

    /// The number of registrations.
    var registrationCount: Int { registrations.count }

    private func control(
        _ operation: Int32, _ descriptor: Int32, _ events: UInt32, _ userData: UInt64
    ) throws(SystemCallError) {
        var event = unsafe epoll_event(events: events, data: epoll_data(u64: userData))
        _ = try SystemCall.run(.epollCtl) { unsafe epoll_ctl(epoll.rawValue, operation, descriptor, &event) }
    }
}

/// Reads what arrives on a loop, and waits for more of it.
package protocol ArrivalReader: AnyObject, Sendable {
    /// The arrivals pause, or have gone on for long. Called once for each `callWhenQuiet`, on the loop's thread, which
    /// goes to sleep next: a thread that is woken now does not compete with it for a processor.
    func arrivalsPaused()
}

/// Work for the end of a tick, run exactly once: its creator guarantees that it is resumed once, and the loop removes
/// it from its queue to run it.
///
/// A type of its own, because the metadata of a generic element type would be looked up at run time.
@safe
enum Resumption {
    case continuation(UnsafeContinuation<Void, Never>)
    case work(@Sendable () -> Void)

    func run() {
        switch self {
        case .continuation(let continuation): unsafe continuation.resume()
        case .work(let work): work()
        }
    }
}

/// A job that waits to run, and its kind.
struct ReactorJob: Sendable {
    enum Owner: Sendable {
        /// A job of a task that prefers the reactor and has no isolation, or of a default actor that such a task
        /// called.
        case task
        /// A job of an actor whose executor is the reactor.
        case actor
        /// The same as `task`, of the group that the reactor is in.
        case group
        /// A job of no executor in particular. Run as a task's of the reactor, it would be enqueued again at once.
        case global
    }

    private let job: UnownedJob
    private let owner: Owner

    init(_ job: UnownedJob, of owner: Owner) {
        self.job = job
        self.owner = owner
    }

    func run(on executors: Executors) {
        switch owner {
        case .task: unsafe job.runSynchronously(on: executors.task)
        case .actor: unsafe job.runSynchronously(isolatedTo: executors.actor, taskExecutor: executors.task)
        case .group: unsafe job.runSynchronously(on: executors.group)
        case .global: unsafe job.runSynchronously(on: executors.none)
        }
    }

    /// Those that jobs of a loop are run as. The references are unowned, and used only to run a job: its task retains
    /// what it prefers (SE-0417).
    @safe
    struct Executors {
        let task: UnownedTaskExecutor
        let actor: UnownedSerialExecutor
        /// The group that the reactor is in; the reactor itself until `join`.
        var group: UnownedTaskExecutor
        /// The runtime's own reference to no executor in particular: two words of zero.
        let none = unsafe unsafeBitCast((0, 0), to: UnownedSerialExecutor.self)

        init(task: UnownedTaskExecutor, actor: UnownedSerialExecutor) {
            unsafe self.task = task
            unsafe self.actor = actor
            unsafe group = task
        }
    }

    #if DEBUG
        /// A watch for a job of a program that may not know that it is on a reactor.
        func watch() -> JobWatch? {
            switch owner {
            case .task, .actor: nil
            case .group, .global: JobWatch.isSilent.load(ordering: .relaxed) ? nil : JobWatch()
            }
        }
    #endif
}

/// Enqueues a job at its time. The loop retains it until then.
private final class JobTimer: ReadinessHandler {
    private let job: ReactorJob
    private let loop: ReactorLoop
    private var token: RegistrationToken?

    init(_ job: ReactorJob, on loop: ReactorLoop) {
        self.job = job
        self.loop = loop
    }

    func start(_ deadline: MonotonicInstant) {
        let token = loop.registerTimer(handler: self)
        self.token = token
        loop.setDeadline(deadline, for: token)
    }

    func ready(_ readiness: Readiness) {
        if let token { loop.deregister(token) }
        loop.enqueue(job)
    }
}
