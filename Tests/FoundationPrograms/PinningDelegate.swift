// SPDX-License-Identifier: Apache-2.0
// A delegate written to pin certificates, as far as FoundationNetworking lets one: it never asks about trust on Linux.
import Foundation
import FoundationNetworking

final class PinningDelegate: NSObject, URLSessionDelegate, URLSessionTaskDelegate {
    private let pinnedHosts: Set = ["localhost", "127.0.0.1"]

    func urlSession(
        _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        let space = challenge.protectionSpace
        switch space.authenticationMethod {
        case "NSURLAuthenticationMethodServerTrust":
            completionHandler(
                pinnedHosts.contains(space.host) ? .performDefaultHandling : .cancelAuthenticationChallenge, nil)
        default:
            completionHandler(.rejectProtectionSpace, nil)
        }
    }
}

func fetch(_ text: String, _ session: URLSession) {
    let finished = DispatchSemaphore(value: 0)
    guard let url = URL(string: text) else { return }
    session.dataTask(with: url) { data, response, error in
        let body = String(decoding: data ?? Data(), as: UTF8.self)
        print(text, (response as? HTTPURLResponse)?.statusCode ?? 0, body, error is URLError)
        finished.signal()
    }.resume()
    finished.wait()
}

let session = URLSession(configuration: .ephemeral, delegate: PinningDelegate(), delegateQueue: nil)
fetch("https://localhost:8443/", session)
fetch("https://127.0.0.1:8443/users/7", session)
fetch("https://localhost:8080/", session)
fetch("http://localhost:8080/", session)
session.finishTasksAndInvalidate()
