// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

@testable import TernEngine
@testable import TernEngineTestSupport

// The answers of a machine as words, for comparisons.
extension TaskMachine.HeadAnswer {
    var word: String {
        switch self {
        case .deliver: "deliver"
        case .discard: "discard"
        case .challenge: "challenge"
        case .retry(let retry): "ask to retry \(retry.cause)"
        case .askContent: "ask for content"
        case .call: "call"
        case .ask(let request): "ask \(request.url?.absoluteString ?? "")"
        case .fail(.transfer(.redirect(let error))): "fail redirect: \(error)"
        case .fail(let reason): "fail \(reason.kind)"
        }
    }
}

extension TaskMachine.Next {
    var word: String {
        switch self {
        case .wait: "wait"
        case .send: "send"
        case .refuse(let reason): "refuse \(reason.kind)"
        case .lookUp(_, let number): "look up \(number)"
        case .awaitNetwork(_, let number, let isFirst): "await network \(number)\(isFirst ? ", first" : "")"
        case .delay(let time): "delay \(time)"
        case .repeat: "repeat"
        case .resolve: "resolve"
        case .answer: "answer"
        case .complete: "complete"
        case .askContent: "ask for content"
        case .askRetry(let retry): "ask to retry \(retry.cause)"
        case .failed(let failure, let isSafe):
            "fail \(failure.reason.kind), \(isSafe ? "may" : "must not") be repeated"
        case .resume(let answer, _): "resume: \(answer.word)"
        case .deliver(_, let isComplete): isComplete ? "deliver, complete" : "deliver"
        case .fail(let reason, let isSafe): "fail \(reason.kind), \(isSafe ? "may" : "must not") be repeated"
        }
    }
}
