// SPDX-License-Identifier: Apache-2.0
import TernHTTP1

/// Has the session's ``RequestAuthentication`` authenticate each hop to the origin of the original request, and sends a
/// hop again whose credential was refused.
struct TokenRefresh: HopPolicy {
    /// The number of responses that may have a hop sent again: the first with the next credential, the second because
    /// that credential may have been replaced meanwhile.
    static let maximumResendCount: Int32 = 2

    let authentication: any RequestAuthentication
    let refusingStatusCodes: Set<Int>
    let interests: HopInterests

    /// Nil for a session without authentication.
    init?(of configuration: SessionConfiguration) {
        guard let authentication = configuration.authentication else { return nil }
        self.authentication = authentication
        refusingStatusCodes = authentication.refusingStatusCodes
        let isSuccess = refusingStatusCodes.contains { $0 < 300 }
        interests = [.preparation, isSuccess ? .allHeads : .unsuccessfulHeads]
    }

    func prepare(_ hop: Hop, _ history: inout TaskHistory) -> HopPreparation {
        guard hop.mayCarryCredentials else { return .ready }
        // The authentication runs user code, which a policy may not.
        return .lookUp { [authentication, request = hop.request] completion in
            let task = Task {
                do throws(AuthenticationError) {
                    guard var answer = try await authentication.authenticated(request) else {
                        return completion(.ready)
                    }
                    answer.request.credentialNumber = answer.credentialNumber
                    completion(.change(answer.request))
                } catch {
                    completion(.fail(.request(.unauthenticated(error))))
                }
            }
            return { task.cancel() }
        }
    }

    func decide(on head: ResponseHead, _ history: inout TaskHistory) -> HopDecision {
        let number = history.hop.request.credentialNumber
        guard number != 0, refusingStatusCodes.contains(Int(head.status)), history.hop.mayCarryCredentials else {
            return .pass
        }
        guard let origin = try? history.hop.request.destination.get().origin,
            authentication.refused(credentialNumber: number, by: origin),
            history.resendCount < Self.maximumResendCount
        else { return .pass }
        return .resend(history.request)
    }
}
