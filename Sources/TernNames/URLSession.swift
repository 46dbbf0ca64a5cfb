// SPDX-License-Identifier: Apache-2.0
public import Tern

/// ``TernEngine/Session``
public typealias URLSession = Session
/// ``TernEngine/SessionTask``
public typealias URLSessionTask = SessionTask
/// ``TernEngine/SessionDataTask``
public typealias URLSessionDataTask = SessionDataTask
/// ``TernEngine/SessionDownloadTask``
public typealias URLSessionDownloadTask = SessionDownloadTask
/// ``TernEngine/SessionUploadTask``
public typealias URLSessionUploadTask = SessionUploadTask
/// ``TernEngine/StreamTask``
public typealias URLSessionStreamTask = StreamTask
/// ``TernEngine/TaskMetrics``
public typealias URLSessionTaskMetrics = TaskMetrics
/// ``TernEngine/HopMetrics``
public typealias URLSessionTaskTransactionMetrics = HopMetrics
/// There is one kind of response.
public typealias URLResponse = HTTPURLResponse

extension Session {
    /// ``TernEngine/ResponseAnswer``
    public typealias ResponseAnswer = Tern.ResponseAnswer
    /// ``TernEngine/ResponseAnswer``
    public typealias ResponseDisposition = Tern.ResponseAnswer

    /// A session with this configuration.
    public convenience init(configuration: URLSessionConfiguration) {
        self.init(configuration: configuration, delegate: nil, delegateQueue: nil)
    }

    /// A session with this configuration, whose delegate becomes the hub of a ``Tern/SessionManager``. There is no
    /// queue to choose: delegates are called on the reactors' threads.
    public convenience init(
        configuration: URLSessionConfiguration, delegate: SessionDelegate?, delegateQueue: Never?
    ) {
        self.init(configuration: configuration.value, delegate: delegate)
    }
}

extension SessionTask {
    /// Optional as in URLSession; it is never nil.
    public var originalRequest: URLRequest? { firstRequest }

    /// Always 0.5, as in URLSession by default: Tern has no priorities, so a value that is set has no effect.
    public var priority: Float {
        get { 0.5 }
        set {}
    }
}

extension TaskMetrics {
    /// ``TernEngine/TaskMetrics/hops``
    public var transactionMetrics: [HopMetrics] { hops }
}
