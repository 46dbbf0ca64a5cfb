// SPDX-License-Identifier: Apache-2.0
import Foundation
public import TernEngine

/// A connection of bytes, read and written through its ``streamTask``.
///
/// It lives until both halves of the connection are closed, the connection breaks, or it is cancelled, whether it is
/// referenced or not. Adapters are not called.
open class StreamRequest: Request, @unchecked Sendable {
    init(_ original: Streamable, context: RequestContext) {
        super.init(original, delegate: StreamTaskReceiver(request: nil, context: context))
    }

    /// None: no request is sent.
    open override var request: URLRequest? { nil }

    /// The task, with its own type.
    open var streamTask: StreamTask? { task as? StreamTask }
}

/// Opens connections of bytes.
struct Streamable: TaskConvertible {
    let hostName: String
    let port: Int

    /// There is none: it names the host and port.
    var urlRequest: URLRequest { URLRequest(url: URL(fileURLWithPath: "/")) }

    func task(_ adapted: URLRequest, telling delegate: TaskDelegate) -> SessionTask { task(telling: delegate) }

    func task(telling delegate: TaskDelegate) -> SessionTask {
        delegate.context.session.streamTask(withHostName: hostName, port: port, delegate: delegate.receiver)
    }
}
