// SPDX-License-Identifier: Apache-2.0
import CTernLinux
import TernLibC

/// Reports that links, addresses or routes of this machine have changed, without saying what. A reactor of the process
/// watches them until this object is released.
package final class LinkMonitor: Sendable {
    private let group: ReactorGroup
    private let watch: Watch

    /// - Parameter onChange: called on the reactor's thread, once for each batch of changes.
    package init(onChange: @escaping @Sendable () -> Void) throws(SystemCallError) {
        group = try ReactorGroup.shared()
        watch = Watch(try NetlinkSocket(groups: Self.groups), onChange)
        guard let loop = group.reactors.first?.loop else { return }
        let watch = watch
        loop.execute { watch.begin(on: loop) }
    }

    deinit {
        let watch = watch
        group.reactors.first?.loop.execute { watch.end() }
    }

    private static let groups =
        RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV4_ROUTE | RTMGRP_IPV6_IFADDR | RTMGRP_IPV6_ROUTE
}

/// The registration with the reactor. Only the reactor's thread accesses its state, hence `@unchecked Sendable`.
private final class Watch: ReadinessHandler, @unchecked Sendable {
    private let socket: NetlinkSocket
    private let onChange: @Sendable () -> Void
    private var registration: (loop: ReactorLoop, token: RegistrationToken)?

    init(_ socket: consuming NetlinkSocket, _ onChange: @escaping @Sendable () -> Void) {
        self.socket = socket
        self.onChange = onChange
    }

    func begin(on loop: ReactorLoop) {
        // Registration fails only when out of memory; then no change is reported.
        guard let token = try? loop.register(socket.descriptor, interest: .readable, handler: self) else { return }
        registration = (loop, token)
        // Changes before the registration.
        onChange()
    }

    func end() {
        guard let (loop, token) = registration.take() else { return }
        loop.deregister(token)
    }

    func ready(_ readiness: Readiness) {
        do throws(SystemCallError) {
            while try socket.receive() != nil {}
        } catch {
            // ENOBUFS: the kernel has dropped changes. Report a change.
            if error.code != ENOBUFS { end() }
        }
        onChange()
    }
}
