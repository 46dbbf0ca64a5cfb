// SPDX-License-Identifier: Apache-2.0
import CTernLinux
import TernLibC

/// Reports once that entries of folders have changed, or that a time has passed without it: then what is watched may be
/// elsewhere, and the next monitor begins with where it is. A reactor of the process watches the folders until this
/// object is released.
package final class FolderMonitor: Sendable {
    /// A folder, and which of its entries count.
    package struct Folder: Sendable, Hashable {
        package let path: String
        /// The names of entries, which need not exist. None: only the removal or renaming of the folder itself counts.
        package let entries: Set<[UInt8]>

        package init(path: String, entries: Set<[UInt8]>) {
            self.path = path
            self.entries = entries
        }
    }

    /// Why the folders are not watched, and only the time counts; nil if they are.
    package let failure: SystemCallError?
    private let group: ReactorGroup
    private let watch: Watch

    /// - Parameters:
    ///   - settleTime: how long nothing must change before a change is reported; a second later it is anyway.
    ///   - checkInterval: the time after which the report comes without a change.
    ///   - onChange: called at most once, on the reactor's thread.
    package init(
        _ folders: [Folder], settleTime: Duration, checkInterval: Duration, onChange: @escaping @Sendable () -> Void
    ) throws(SystemCallError) {
        group = try ReactorGroup.shared()
        let inotify = Result { () throws(SystemCallError) in try Inotify(folders) }
        failure = if case .failure(let error) = inotify { error } else { nil }
        watch = Watch(try? inotify.get(), settleTime: settleTime, checkInterval: checkInterval, onChange)
        guard let loop = group.reactors.first?.loop else { return }
        let watch = watch
        loop.execute { watch.begin(on: loop) }
    }

    deinit {
        let watch = watch
        group.reactors.first?.loop.execute { watch.end() }
    }
}

/// The registration with the reactor. Only the reactor's thread accesses its state, hence `@unchecked Sendable`.
private final class Watch: ReadinessHandler, @unchecked Sendable {
    /// After the first of many changes.
    private static let patience = Duration.seconds(1)

    private let inotify: Inotify?
    private let settleTime: Duration
    private let checkInterval: Duration
    private var onChange: (@Sendable () -> Void)?
    private var registration: (loop: ReactorLoop, token: RegistrationToken)?
    /// When a change is reported even if others follow; nil before the first.
    private var settlesBy: MonotonicInstant?

    init(
        _ inotify: Inotify?, settleTime: Duration, checkInterval: Duration, _ onChange: @escaping @Sendable () -> Void
    ) {
        self.inotify = inotify
        self.settleTime = settleTime
        self.checkInterval = checkInterval
        self.onChange = onChange
    }

    func begin(on loop: ReactorLoop) {
        // Registration fails only when out of memory; then only the time counts.
        let registered = inotify.flatMap { try? loop.register($0.descriptor, interest: .readable, handler: self) }
        let token = registered ?? loop.registerTimer(handler: self)
        loop.setDeadline(loop.exactNow.advanced(by: checkInterval), for: token)
        registration = (loop, token)
    }

    func end() {
        onChange = nil
        guard let (loop, token) = registration.take() else { return }
        loop.deregister(token)
    }

    func ready(_ readiness: Readiness) {
        if readiness.contains(.deadline) { return report() }
        do throws(SystemCallError) {
            if try inotify?.takeChanges() == true { changed() }
        } catch {
            report()
        }
    }

    private func changed() {
        guard let (loop, token) = registration else { return }
        let now = loop.exactNow
        let limit = settlesBy ?? now.advanced(by: Self.patience)
        settlesBy = limit
        loop.setDeadline(min(limit, now.advanced(by: settleTime)), for: token)
    }

    private func report() {
        let onChange = onChange
        end()
        onChange?()
    }
}
