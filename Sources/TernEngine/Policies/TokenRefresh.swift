// SPDX-License-Identifier: Apache-2.0
import TernHTTP1

/// Has the session's ``RequestAuthentication`` authenticate each hop to the origin of the original request. A refused
/// credential is followed by a hop with the next one.
struct TokenRefresh: HopPolicy {
    /// The number of refusals between two redirects after which the hop is sent again: the first with the next
    /// credential, the second because that credential may have been replaced meanwhile.
    static let maximumRefusalCount = 2

    private struct Memory: PolicyMemory {
        /// The number of the credential in the hop; 0 for none.
        var credentialNumber: Int32 = 0
        var refusals = CountPerRedirect()
    }

    private let authentication: any RequestAuthentication
    /// The same, if its credential is usually at hand.
    private let immediate: (any ImmediateAuthentication)?
    private let refusingStatusCodes: Set<Int>
    let interests: HopInterests

    /// Nil for a session without authentication.
    init?(of configuration: SessionConfiguration) {
        guard let authentication = configuration.authentication else { return nil }
        self.authentication = authentication
        immediate = authentication as? any ImmediateAuthentication
        refusingStatusCodes = authentication.refusingStatusCodes
        let isSuccess = refusingStatusCodes.contains { $0 < 300 }
        interests = [.preparation, isSuccess ? .allHeads : .unsuccessfulHeads]
    }

    func prepare(_ hop: Hop, _ history: inout TaskHistory) -> HopPreparation {
        guard hop.mayCarryCredentials else { return .ready }
        history[Memory.self].credentialNumber = 0
        let (request, memory) = (hop.request, history[Memory.self])
        // The authentication runs user code, which a policy may not.
        return .lookUp { completion in
            if let result = immediate?.authenticatedAtOnce(request) {
                completion(Self.preparation(result, memory))
                return {}
            }
            let task = Task {
                let result: Result<AuthenticatedRequest?, AuthenticationError>
                do throws(AuthenticationError) {
                    result = .success(try await authentication.authenticated(request))
                } catch {
                    result = .failure(error)
                }
                completion(Self.preparation(result, memory))
            }
            return { task.cancel() }
        }
    }

    private static func preparation(
        _ result: Result<AuthenticatedRequest?, AuthenticationError>, _ memory: Memory
    ) -> HopPreparation {
        switch result {
        case .success(nil): return .ready
        case .success((let request, let number)?):
            var memory = memory
            memory.credentialNumber = number
            return .change(request, remembering: memory)
        case .failure(let error): return .fail(.request(.unauthenticated(error)))
        }
    }

    func decide(on head: ResponseHead, _ history: inout TaskHistory) -> HopDecision {
        guard refusingStatusCodes.contains(Int(head.status)), history.hop.mayCarryCredentials,
            let origin = try? history.hop.request.destination.get().origin
        else { return .pass }
        let memory = history[Memory.self]
        guard memory.credentialNumber != 0,
            authentication.refused(credentialNumber: memory.credentialNumber, by: origin),
            memory.refusals.value(history) < Self.maximumRefusalCount
        else { return .pass }
        history[Memory.self].refusals.increment(history)
        return .next(history.request)
    }
}
