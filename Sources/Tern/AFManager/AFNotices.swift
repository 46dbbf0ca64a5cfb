// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernEngine
import TernLock

/// Posts when tasks of managers begin to run and are suspended, once a name of such a notification has been asked for:
/// until then a task that is resumed pays nothing for it.
enum AFNotices {
    private struct WeakBook {
        weak var book: AFTaskBook?
    }

    private static let books = Lock<[WeakBook]>([])

    /// Posts for the tasks in `book`, as long as that is there.
    static func serve(_ book: AFTaskBook) {
        let held = books.withLock { books in
            let held = books.compactMap(\.book)
            books = held.map { WeakBook(book: $0) } + [WeakBook(book: book)]
            return held
        }
        withExtendedLifetime(held) {}
    }

    /// Returns a name and posts it from now on: a caller asks for it in order to observe it.
    static func watched(_ name: Notification.Name) -> Notification.Name {
        listening
        return name
    }

    private static let listening: Void = TaskStateObservers.tell { task, runs in
        post(runs ? resumed : suspended, task)
    }

    static let resumed = Notification.Name("com.alamofire.networking.task.resume")
    static let suspended = Notification.Name("com.alamofire.networking.task.suspend")

    /// On the manager's queue, in the order in which things happen.
    private static func post(_ name: Notification.Name, _ identifier: Int) {
        let books = books.withLock { $0.compactMap(\.book) }
        for book in books {
            guard let task = book.task(identifier) else { continue }
            return book.queue.async { NotificationCenter.default.post(name: name, object: task) }
        }
    }
}
