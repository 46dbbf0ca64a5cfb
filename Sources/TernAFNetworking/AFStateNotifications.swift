// SPDX-License-Identifier: Apache-2.0
import Foundation
import Tern
import TernEngine
import TernLock

/// Posts when tasks of managers start to run and are suspended, once a name of such a notification has been requested:
/// until then resuming a task has no further cost.
enum AFStateNotifications {
    private struct WeakRegistry {
        weak var registry: AFTaskRegistry?
    }

    private static let registries = Lock<[WeakRegistry]>([])

    /// Posts for the tasks in `registry`, as long as that exists.
    static func serve(_ registry: AFTaskRegistry) {
        let held = registries.withLock { registries in
            let held = registries.compactMap(\.registry)
            registries = held.map { WeakRegistry(registry: $0) } + [WeakRegistry(registry: registry)]
            return held
        }
        withExtendedLifetime(held) {}
    }

    /// Returns a name and posts it from now on: a caller requests it in order to observe it.
    static func watched(_ name: Notification.Name) -> Notification.Name {
        listening
        return name
    }

    private static let listening: Void = TaskStateObservers.tell { task, runs in
        post(runs ? resumed : suspended, task)
    }

    static let resumed = Notification.Name("com.alamofire.networking.task.resume")
    static let suspended = Notification.Name("com.alamofire.networking.task.suspend")

    /// On the manager's queue, in the order of the events.
    private static func post(_ name: Notification.Name, _ identifier: Int) {
        let registries = registries.withLock { $0.compactMap(\.registry) }
        for registry in registries {
            guard let task = registry.task(identifier) else { continue }
            return registry.queue.async { NotificationCenter.default.post(name: name, object: task) }
        }
    }
}
