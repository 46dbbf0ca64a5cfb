// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernURLSession
import Testing

@Suite struct URLAuthenticationChallengeTests {
    private final class Sender: NSObject, URLAuthenticationChallengeSender {
        func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge) {}
        func continueWithoutCredential(for challenge: URLAuthenticationChallenge) {}
        func cancel(_ challenge: URLAuthenticationChallenge) {}
        func performDefaultHandling(for challenge: URLAuthenticationChallenge) {}
        func rejectProtectionSpaceAndContinue(with challenge: URLAuthenticationChallenge) {}
    }

    @Test func `a challenge of the program's own has its error and its sender`() {
        let space = URLProtectionSpace(host: "h", port: 1, protocol: "http", realm: nil, authenticationMethod: nil)
        let (one, other) = (Sender(), Sender())
        let challenge = URLAuthenticationChallenge(
            protectionSpace: space, proposedCredential: nil, previousFailureCount: 3, failureResponse: nil,
            error: URLError(.badURL), sender: one)
        #expect((challenge.error as? URLError)?.code == .badURL && challenge.sender === one)
        let copy = URLAuthenticationChallenge(authenticationChallenge: challenge, sender: other)
        #expect(copy.previousFailureCount == 3 && copy.sender === other && copy.protectionSpace == space)
        #expect((copy.error as? URLError)?.code == .badURL)
        #expect(URLAuthenticationChallenge(protectionSpace: space).sender == nil)
    }

    @Test func `a credential is equal to one with the same parts`() {
        let credential = URLCredential(user: "a", password: "b", persistence: .none)
        #expect(credential.isEqual(URLCredential(user: "a", password: "b", persistence: .none)))
        #expect(!credential.isEqual(URLCredential(user: "a", password: "b", persistence: .permanent)))
        #expect(!credential.isEqual("a") && !credential.isEqual(nil))
        #expect(credential.copy(with: nil) as? URLCredential == credential)
    }
}
