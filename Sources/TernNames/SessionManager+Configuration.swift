// SPDX-License-Identifier: Apache-2.0
public import Tern

extension SessionManager {
    /// A manager whose session has this configuration.
    @_disfavoredOverload
    public convenience init(
        configuration: URLSessionConfiguration, delegate: SessionDelegate = SessionDelegate(),
        serverTrustPolicyManager: ServerTrustPolicyManager? = nil
    ) {
        self.init(
            configuration: configuration.value, delegate: delegate, serverTrustPolicyManager: serverTrustPolicyManager)
        configuration.refuseIfBackground(session)
    }
}
