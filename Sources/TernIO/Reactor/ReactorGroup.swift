// SPDX-License-Identifier: Apache-2.0
import CTernLinux
import Glibc
import TernLock

/// The reactors that sessions share. They start with the first user and end when the last reference is released.
public final class ReactorGroup: Sendable {
    /// The reactors, with one thread each; at least one.
    public let reactors: [Reactor]

    /// Starts `count` reactors, at least one.
    public init(count: Int) throws(SystemCallError) {
        var reactors: [Reactor] = []
        for index in 0..<max(1, count) { reactors.append(try Reactor(name: "tern-reactor-\(index)")) }
        self.reactors = reactors
    }

    /// Returns the group of this process, with one reactor for every two processors; creates it if there is none.
    public static func shared() throws(SystemCallError) -> ReactorGroup {
        try sharedGroup.withLock { (shared) throws(SystemCallError) in
            if let group = shared.group { return group }
            let group = try ReactorGroup(count: sysconf(Int32(_SC_NPROCESSORS_ONLN)) / 2)
            shared.group = group
            return group
        }
    }
}

private struct SharedGroup {
    weak var group: ReactorGroup?
}

private let sharedGroup = Lock(SharedGroup())
