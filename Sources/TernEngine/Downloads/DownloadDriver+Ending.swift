// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernHTTP1
import TernFiles
import TernIO
import TernLock

// The end
extension DownloadDriver {
    func finalize(_ task: SessionTask, _ error: SessionError?) {
        guard let task = task as? SessionDownloadTask else { return task.complete(error) }
        switch stage {
        case .over, .finishing: break
        case .waiting where error != nil || refusal != nil:
            // The partial file has not been changed, and can be used again.
            end(task, error.map { reason($0, of: task) }, partialFile?.data)
        case .waiting, .writing:
            guard let sink = begin(task) else { return }
            stage = .finishing(sink)
            finish(sink, task, error)
        }
    }

    func finalizeSooner(_ error: SessionError?) {
        if case .finishing(let sink) = stage, error != nil { sink.abandon() }
    }

    private func finish(_ sink: FileSink, _ task: SessionDownloadTask, _ error: SessionError?) {
        let keeps = keepsPartialFile(error)
        let ending = FileSink.Ending(
            isComplete: error == nil && refusal == nil, expectedLength: expectedLength, keepsPartialFile: keeps,
            keepsPartialFileOnFullDisk: keeps && place.isTarget)
        sink.finish(ending, for: task) { outcome in
            task.performLater { self.finished(task, sink, outcome, error) }
        }
    }

    func finished(
        _ task: SessionDownloadTask, _ sink: FileSink, _ outcome: FileSink.Outcome, _ error: SessionError?
    ) {
        switch outcome {
        case .complete(let path):
            tellProgress(of: sink, to: task)
            delegate?.downloadTask(task, didFinishDownloadingTo: URL(filePath: path, directoryHint: .notDirectory))
            if !place.isTarget, !keepsFile { sink.later { OutputFile.remove(path) } }
            end(task, nil, nil)
        case .failed(let failure?, let data):
            end(task, task.error(.download(failure), phase: .body), data)
        case .failed(nil, let data):
            tellProgress(of: sink, to: task)
            end(task, reason(error ?? task.error(.cancelled, phase: .body), of: task), data)
        }
    }

    /// The reason of a refusal counts, rather than the refusal itself.
    private func reason(_ error: SessionError, of task: SessionTask) -> SessionError {
        guard let refusal, case .cancelled = error.reason else { return error }
        return task.error(.download(refusal), phase: error.phase)
    }

    /// Whether the received bytes are of use for resuming.
    private func keepsPartialFile(_ error: SessionError?) -> Bool {
        if case .tooLong = refusal { return false }
        if place.isTarget, place.keepsPartialFile { return true }
        if case .cancelled = error?.reason, refusal == nil {
            return resumeDataRequests.withLock { !$0.handlers.isEmpty }
        }
        return place.keepsPartialFile || partialFile != nil
    }

    func end(_ task: SessionDownloadTask, _ error: SessionError?, _ data: ResumeData?) {
        stage = .over
        // The delegate may resume the download at once.
        partialFile?.file.unlock()
        partialFile = nil
        let data = data?.data
        let handlers = resumeDataRequests.withLock { requests in
            requests.isOver = true
            defer { requests.handlers = [] }
            return requests.handlers
        }
        for handler in handlers { handler(data) }
        task.complete(error?.resumable(with: data))
        delegate = nil
    }
}
