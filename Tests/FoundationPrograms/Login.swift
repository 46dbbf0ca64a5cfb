// SPDX-License-Identifier: Apache-2.0
// Logs in through the shared session, which keeps the cookie, and answers a challenge for a name and a password.
import Foundation
import FoundationNetworking

guard let base = URL(string: "http://127.0.0.1:8080/") else { exit(1) }
let finished = DispatchSemaphore(value: 0)

@discardableResult
func send(_ path: String, through session: URLSession = .shared, _ change: (inout URLRequest) -> Void = { _ in }) -> Int
{
    var request = URLRequest(url: base.appendingPathComponent(path))
    change(&request)
    var status = -1
    session.dataTask(with: request) { data, response, error in
        status = (response as? HTTPURLResponse)?.statusCode ?? -1
        let text = String(decoding: data ?? Data(), as: UTF8.self)
        print(path, status, response?.mimeType ?? "-", text, (error as? URLError)?.code.rawValue ?? 0)
        finished.signal()
    }.resume()
    finished.wait()
    return status
}

final class Prompt: NSObject, URLSessionTaskDelegate {
    let password: String

    init(password: String) { self.password = password }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        let space = challenge.protectionSpace
        print(
            "challenge", space.authenticationMethod, space.realm ?? "-", space.host, space.port,
            challenge.previousFailureCount)
        guard challenge.previousFailureCount == 0 else { return completionHandler(.cancelAuthenticationChallenge, nil) }
        completionHandler(.useCredential, URLCredential(user: "ada", password: password, persistence: .none))
    }
}

send("whoami")
send("login") {
    $0.httpMethod = "POST"
    $0.httpBody = Data("user=ada&password=secret".utf8)
}
send("whoami")
for cookie in HTTPCookieStorage.shared.cookies(for: base) ?? [] {
    print(
        cookie.name, cookie.value, cookie.domain, cookie.path, cookie.isSecure, cookie.isHTTPOnly, cookie.isSessionOnly)
}
send("whoami", through: URLSession(configuration: .ephemeral))
(HTTPCookieStorage.shared.cookies ?? []).forEach(HTTPCookieStorage.shared.deleteCookie)
send("whoami")

let asked = URLSession(configuration: .ephemeral, delegate: Prompt(password: "secret"), delegateQueue: nil)
send("basic", through: asked)
let mistaken = URLSession(configuration: .ephemeral, delegate: Prompt(password: "wrong"), delegateQueue: nil)
send("basic", through: mistaken)
send("received") {
    $0.httpMethod = "POST"
    $0.httpBody = Data("a=1".utf8)
    $0.addValue("1", forHTTPHeaderField: "X-Twice")
    $0.addValue("2", forHTTPHeaderField: "x-twice")
}
