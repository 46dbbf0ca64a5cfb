// Fetches a URL under the pins of a policy file: PinnedClient policy.json https://api.example.com/
import Foundation
import Tern

guard CommandLine.arguments.count == 3 else {
    print("usage: PinnedClient POLICY-FILE URL")
    exit(2)
}

do {
    let policies = try PolicyFile(contentsOf: URL(fileURLWithPath: CommandLine.arguments[1]))
    let session = Session(
        serverTrustPolicyManager: policies.manager { report in
            // Also called for sets that only report: send it where you will see it.
            print("pin failure: \(report)")
        })
    let (data, response) = try await session.data(for: URLRequest(string: CommandLine.arguments[2]))
    print("trusted; status \(response.statusCode), \(data.count) bytes")
} catch let error as SessionError {
    if case .connecting(.insecure(let tls)) = error.reason, let refusal = tls.trustFailure {
        print("refused by the rule '\(refusal.rule)': \(refusal)")
    } else {
        print("failed: \(error)")
    }
    exit(1)
} catch {
    print("the policy file cannot be used: \(error)")
    exit(2)
}
