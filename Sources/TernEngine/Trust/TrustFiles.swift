// SPDX-License-Identifier: Apache-2.0
import TernFiles
import TernIO
import TernLock
public import TernTLS

/// Trust and identities in files, which sessions take over while they run: certificates that live for days are renewed
/// without a restart.
///
/// Give it to sessions as ``SessionConfiguration/trustFiles``; they may share one. While there is such a session, the
/// files are watched by inotify(7), and looked at now and then where that reports nothing. A rename over a file, a
/// rewritten one and a link that leads elsewhere are changes alike, wherever on the path they occur.
///
/// A file is read as a whole before it replaces anything. If it cannot be, the session keeps what it has, and the error
/// is reported once. What replaces makes every earlier connection outdated, as
/// ``Session/serverTrustPolicyManager`` does: from then on, every request that is sent uses a connection that was opened
/// with the new files. Earlier idle connections are closed, running requests finish on theirs, and no earlier TLS
/// session is resumed.
public final class TrustFiles: Sendable {
    /// A change of the files, or a problem with them.
    public enum Event: Sendable {
        /// These parts were read and have replaced what was there, in every session.
        case replaced([TrustFilePaths.Part])
        /// A file cannot be used, and what was read before stays. Reported once, until it has another error
        /// or can be used.
        case refused(TrustFileError)
        /// A certificate expires soon, or has expired. Reported once a day.
        case expires(Expiry)
        /// A list is outdated soon, or is already, at this time in seconds since 1970: an outdated list of certificate logs has
        /// no effect, and one of distrusted certificates lacks the newest. Reported once a day.
        case outdated(TrustFilePaths.Part, at: Int64)
        /// Records of a file were left out when it was read, each told by a sentence: they are of a kind that this version
        /// does not know.
        case skipped(TrustFilePaths.Part, [String])
        /// The system watches no more files, because a limit of inotify(7) is reached, say: they are only looked at now and
        /// then. Reported once.
        case unwatched(SystemCallError)
    }

    /// The end of a certificate that was read from a file.
    public struct Expiry: Sendable, Hashable {
        /// What the certificate is for.
        public let part: TrustFilePaths.Part
        /// The certificate: of an identity, or an anchor.
        public let certificate: X509Certificate
        /// When it expires, or has expired, in seconds since 1970-01-01T00:00:00Z.
        public let time: Int64
    }

    /// What ends at a time: a certificate, or the whole list of a part.
    struct Ending {
        let part: TrustFilePaths.Part
        var certificate: X509Certificate?
        let time: Int64

        var event: Event {
            certificate.map { .expires(Expiry(part: part, certificate: $0, time: time)) } ?? .outdated(part, at: time)
        }

        /// The same for what is reported once.
        fileprivate var subject: Subject { certificate.map(Subject.certificate) ?? .list(part) }

        /// How long before its end it is reported.
        fileprivate func warningTime(_ given: Int64?) -> Int64 {
            certificate?.warningTime(given) ?? given ?? 14 * 86400
        }
    }

    fileprivate enum Subject: Hashable {
        case certificate(X509Certificate)
        case list(TrustFilePaths.Part)
    }

    /// How files are watched.
    struct Habits: Sendable {
        /// How long files must rest before they are read: a certificate and its key change one after the other.
        var settleTime = Duration.milliseconds(100)
        /// The time between two looks at files that seem not to change.
        var checkInterval = Duration.seconds(60)
        /// How long before its end a certificate is reported, in seconds; nil for the usual time.
        var warningTime: Int64?
        /// The time in seconds since 1970-01-01T00:00:00Z.
        var clock: @Sendable () -> Int64 = { Timestamp.current }
    }

    private struct User: Sendable {
        weak var session: (any TrustMaterialUser)?
        /// Of the material that it has.
        var version: UInt64
        /// Why it does not have the current one, as far as that was reported.
        var refusals: Set<TrustFileError> = []

        mutating func take(_ version: UInt64) { (self.version, refusals) = (version, []) }
    }

    private struct State: Sendable {
        var material: TrustMaterial
        /// Counts replacements.
        var version: UInt64 = 0
        /// The version that last changed each part.
        var versions: [TrustFilePaths.Part: UInt64] = [:]
        var stamps: [String: FileStamp]
        var errors: [TrustFilePaths.Part: TrustFileError] = [:]
        /// When each end was last reported.
        var warnings: [Subject: Int64] = [:]
        /// What happened before there was a session.
        var untold: [Event] = []
        var isUnwatched = false
        var users: [ObjectIdentifier: User] = [:]
        var monitor: FolderMonitor?
    }

    /// The files.
    public let paths: TrustFilePaths
    private let parts: [TrustFilePart]
    private let habits: Habits
    private let onEvent: @Sendable (Event) -> Void
    private let queue = SerialQueue()
    private let state: Lock<State>

    /// Reads the files. Blocks meanwhile; later they are read on threads that no request needs.
    ///
    /// - Parameters:
    ///   - paths: the files.
    ///   - checkInterval: the time after which files are looked at that seem not to have changed: file systems of other
    ///     machines report no changes.
    ///   - warningDays: how many days before its end a certificate is reported; nil for 14, or for a third of its time if that
    ///     is shorter.
    ///   - onEvent: called on a thread of Tern's, one call after another; changes wait until it returns. A session that
    ///     it retains never ends, because sessions retain their files.
    /// - Throws: the error of the first file that cannot be used.
    public convenience init(
        _ paths: TrustFilePaths, checkInterval: Duration = .seconds(60), warningDays: Int? = nil,
        onEvent: @escaping @Sendable (Event) -> Void
    ) throws(TrustFileError) {
        var habits = Habits()
        habits.checkInterval = max(checkInterval, .milliseconds(10))
        habits.warningTime = warningDays.map { Int64(clamping: max(0, min($0, 36_500))) * 86400 }
        try self.init(paths, habits, onEvent: onEvent)
    }

    init(
        _ paths: TrustFilePaths, _ habits: Habits, onEvent: @escaping @Sendable (Event) -> Void
    ) throws(TrustFileError) {
        self.paths = paths
        self.habits = habits
        self.onEvent = onEvent
        parts = paths.parts
        let reading = FileReading(parts, over: TrustMaterial(of: parts), [:])
        // A system without anchors is no error of a program with its own.
        for part in parts where part.part != .systemAnchors { if let error = reading.errors[part.part] { throw error } }
        state = Lock(
            State(
                material: reading.material, stamps: reading.stamps, errors: reading.errors,
                untold: Self.skipped(of: reading)))
    }
}

// Sessions
extension TrustFiles {
    /// What a session begins with, and its version.
    var current: (material: TrustMaterial, version: UInt64) { state.withLock { ($0.material, $0.version) } }

    /// Watches the files for a session, which is not retained.
    ///
    /// - Parameter version: of the material that it has.
    func add(_ session: any TrustMaterialUser, having version: UInt64) {
        let hasToCheck = state.withLock { state in
            state.users[ObjectIdentifier(session)] = User(session: session, version: version)
            return state.users.count == 1 || version != state.version
        }
        if hasToCheck { queue.async { self.check() } }
    }

    /// Watches them for it no more. Without a session they are not watched.
    func remove(_ session: ObjectIdentifier) {
        // Released outside the lock.
        let monitor = state.withLock { state -> FolderMonitor? in
            state.users[session] = nil
            return state.users.isEmpty ? state.monitor.take() : nil
        }
        withExtendedLifetime(monitor) {}
    }
}

// On the queue
extension TrustFiles {
    private func check() {
        guard watch() else { return }
        let untold = state.withLock { state in
            defer { state.untold = [] }
            return state.untold
        }
        for event in untold + readAgain() + replace() + warnings() { onEvent(event) }
    }

    /// Watches where the files are now; changes from then on lead to another check. False without a session.
    private func watch() -> Bool {
        var trail = trail()
        var monitor: FolderMonitor?
        // While the folders are found, they may change.
        for _ in 0..<Self.attempts {
            monitor = self.monitor(of: trail)
            let now = self.trail()
            if now == trail { break }
            trail = now
        }
        let hasMonitor = monitor != nil
        let (old, isWanted) = state.withLock { state -> (FolderMonitor?, Bool) in
            guard !state.users.isEmpty else { return (monitor.take(), false) }
            swap(&state.monitor, &monitor)
            return (monitor.take(), true)
        }
        withExtendedLifetime(old) {}
        if isWanted, !hasMonitor { queue.async(after: habits.checkInterval) { [weak self] in self?.check() } }
        return isWanted
    }

    private static let attempts = 8

    private func trail() -> PathTrail {
        var trail = PathTrail()
        for part in parts { for path in part.paths { trail.add(path) } }
        return trail
    }

    private func monitor(of trail: PathTrail) -> FolderMonitor? {
        let folders = trail.folders.map { FolderMonitor.Folder(path: $0.key, entries: $0.value) }
        let onChange: @Sendable () -> Void = { [weak self] in
            guard let self else { return }
            queue.async { self.check() }
        }
        do throws(SystemCallError) {
            let monitor = try FolderMonitor(
                folders, settleTime: habits.settleTime, checkInterval: habits.checkInterval, onChange: onChange)
            if let failure = monitor.failure { unwatched(failure) }
            return monitor
        } catch {
            unwatched(error)
            return nil
        }
    }

    private func unwatched(_ error: SystemCallError) {
        let isNew = state.withLock { state in
            defer { state.isUnwatched = true }
            return !state.isUnwatched
        }
        if isNew { onEvent(.unwatched(error)) }
    }

    /// Reads what is not as it was read, and returns the errors that have not been reported.
    private func readAgain() -> [Event] {
        let (material, errors, known) = state.withLock { ($0.material, $0.errors, $0.stamps) }
        var stamps = known
        // A file without an error of its own, where descriptors had run out, say, does not show in its stamp.
        for error in errors.values { stamps[error.file] = nil }
        let reading = FileReading(parts, over: material, stamps)
        return state.withLock { state in
            state.stamps = reading.stamps
            let changed = reading.read.filter(reading.changed.contains)
            if !changed.isEmpty { state.version &+= 1 }
            for part in changed { state.versions[part] = state.version }
            state.material = reading.material
            var events: [Event] = []
            for part in reading.read {
                let error = reading.errors[part]
                if let error, state.errors[part] != error { events.append(.refused(error)) }
                state.errors[part] = error
            }
            return events + Self.skipped(of: reading)
        }
    }

    private static func skipped(of reading: FileReading) -> [Event] {
        reading.read.compactMap { part in
            let skipped = reading.errors[part] == nil ? reading.material.skipped(of: part) : []
            return skipped.isEmpty ? nil : .skipped(part, skipped)
        }
    }

    /// Gives sessions what they do not have.
    private func replace() -> [Event] {
        let (material, version, versions, users) = state.withLock { state in
            (state.material, state.version, state.versions, state.users)
        }
        var (events, replaced): ([Event], Set<TrustFilePaths.Part>) = ([], [])
        for (number, user) in users where user.version != version {
            guard let session = user.session else { continue }
            let changed = Set(versions.filter { $0.value > user.version }.keys)
            do throws(TLSError) {
                try session.replaceTrust(with: material, changed: changed)
                replaced.formUnion(changed)
                state.withLock { $0.users[number]?.take(version) }
            } catch {
                // None of the parts has the others' errors: what a session cannot use is not seen in one of them alone.
                let refusals = parts.filter { changed.contains($0.part) }.map {
                    TrustFileError($0.part, $0.paths[0], .unusable(error))
                }
                events += refusals.filter { !user.refusals.contains($0) }.map(Event.refused)
                state.withLock { $0.users[number]?.refusals = Set(refusals) }
            }
        }
        let changed = parts.map(\.part).filter(replaced.contains)
        return changed.isEmpty ? events : events + [.replaced(changed)]
    }

    /// What ends soon, and was not reported in the last day.
    private func warnings() -> [Event] {
        let now = habits.clock()
        let due = state.withLock { $0.material }.endings.filter { $0.time &- now <= $0.warningTime(habits.warningTime) }
        return state.withLock { state in
            var warnings: [Subject: Int64] = [:]
            var events: [Event] = []
            for ending in due {
                let subject = ending.subject
                // After the clock was set back, too.
                let last = state.warnings[subject].flatMap { (0..<86400).contains(now &- $0) ? $0 : nil }
                if last == nil, warnings[subject] == nil { events.append(ending.event) }
                warnings[subject] = last ?? now
            }
            state.warnings = warnings
            return events
        }
    }
}

/// One look at all files, so that none of them changes meanwhile.
private struct FileReading {
    private(set) var material: TrustMaterial
    private(set) var stamps: [String: FileStamp] = [:]
    /// The parts that were read, in the order of the paths; those of which something is new, and those with an error.
    private(set) var read: [TrustFilePaths.Part] = []
    private(set) var changed: Set<TrustFilePaths.Part> = []
    private(set) var errors: [TrustFilePaths.Part: TrustFileError] = [:]

    private static let attempts = 8

    /// - Parameters:
    ///   - old: what was read before.
    ///   - known: the files that it was read from.
    init(_ parts: [TrustFilePart], over old: TrustMaterial, _ known: [String: FileStamp]) {
        material = old
        for _ in 0..<Self.attempts {
            (material, read, changed, errors) = (old, [], [], [:])
            stamps = Self.stamps(of: parts)
            for part in parts where part.paths.contains(where: { known[$0] != stamps[$0] }) {
                read.append(part.part)
                do throws(TrustFileError) {
                    if try material.read(part) { changed.insert(part.part) }
                } catch {
                    errors[part.part] = error
                }
            }
            // A link that leads elsewhere between two files makes a certificate with the key of another.
            if read.isEmpty || Self.stamps(of: parts) == stamps { break }
        }
    }

    private static func stamps(of parts: [TrustFilePart]) -> [String: FileStamp] {
        var stamps: [String: FileStamp] = [:]
        for part in parts { for path in part.paths { stamps[path] = FileStamp(of: path) } }
        return stamps
    }
}

extension TrustFiles.Event: CustomStringConvertible {
    /// For example "replaced: identity 1".
    public var description: String {
        switch self {
        case .replaced(let parts): "replaced: " + parts.map(\.description).joined(separator: ", ")
        case .refused(let error): "refused: \(error)"
        case .expires(let expiry): "\(expiry.part): \(expiry.certificate) expires at \(Timestamp.rfc3339(expiry.time))"
        case .outdated(let part, let time): "\(part): outdated from \(Timestamp.rfc3339(time)) on"
        case .skipped(let part, let records): "\(part): skipped: " + records.joined(separator: "; ")
        case .unwatched(let error): "the files are not watched: \(error)"
        }
    }
}
