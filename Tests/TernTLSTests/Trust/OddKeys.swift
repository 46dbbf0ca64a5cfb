// SPDX-License-Identifier: Apache-2.0

/// Keys that take long to make, or that only the command line makes. They protect nothing.
enum OddKeys {
    /// DSA of 2048 bits: `openssl dsaparam -genkey 2048`.
    static let dsa = """
        -----BEGIN PRIVATE KEY-----
        MIICXQIBADCCAjUGByqGSM44BAEwggIoAoIBAQDYG+8N/sRFSSiCm+a2IYIuM5Ut
        gzkR1V3E9H4HcWYlMzTJ7+ZNKuIOvN796szKFe4X5Je+xwtfr2tajjGQpiM+x5UR
        5MOXrWNTJ2PYr/Ana2behGVu27F23ItIze3kmUCdd5eUe4GmltqTftd4oFu+Sv1i
        LGxs04KmO3CeCW3BQhytE7WMjbiz6VrdJaU8bqTV0qh/8WY8MpGu2LTn29IWWprM
        raVjhRaS5j1hhAalRGjiDCgbSBaI4ZY3e3SFbmZQNaD9grlcPMklZEhjFGP7B2EP
        P8AoGYcW3n+B5KhOMM0xrWX3ukTTSp5FTvkkDduhREQaairGGTpf71ajXXUhAh0A
        /ZVhChLCSdltDQBu9pgZvjrk7dbkQ8pZIR6q7QKCAQATt8Ku1eTd81tVWgx3SO/0
        hZ2OU4LjxHrvGGd06qErJx8+ZigZxXxgmi4utfPQTvFeLgPigeutWVgc84Ajsubh
        rIG4f4GCsPYl8ISmZf+IbRz8JOnyRkdRnAzvbfCXbS25B58gGNz8n/f9y6KKQnSP
        Iz7U4FbO4Npa4fueoB6q8JMwjWWNEwcHxL7DGBDrCuhcRsoWziBUsnAnneqHo6sj
        rlu1nWpWzhGABY9Ux9CpHf/uSZg2kpbmTLdULh1cY9iF5wO+RQYVG8/canVJqIiP
        wKzyh8G8SpkKeF7xXONmPzRppqRKFckcmEq/dUrvJq+6+YoseHSuxIqaBX2fZBpI
        BB8CHQDYIaJtWJrH1g+KJ1x8BFTUHhVcJTlyJuBtgF64
        -----END PRIVATE KEY-----
        """

    /// P-256 with its parameters spelled out: `openssl genpkey -algorithm EC -pkeyopt ec_param_enc:explicit …`.
    static let explicitCurve = """
        -----BEGIN PRIVATE KEY-----
        MIIBeQIBADCCAQMGByqGSM49AgEwgfcCAQEwLAYHKoZIzj0BAQIhAP////8AAAAB
        AAAAAAAAAAAAAAAA////////////////MFsEIP////8AAAABAAAAAAAAAAAAAAAA
        ///////////////8BCBaxjXYqjqT57PrvVV2mIa8ZR0GsMxTsPY7zjw+J9JgSwMV
        AMSdNgiG5wSTamZ44ROdJreBn36QBEEEaxfR8uEsQkf4vOblY6RA8ncDfYEt6zOg
        9KE5RdiYwpZP40Li/hp/m47n60p8D54WK84zV2sxXs7LtkBoN79R9QIhAP////8A
        AAAA//////////+85vqtpxeehPO5ysL8YyVRAgEBBG0wawIBAQQgpZc06LT3lTS4
        gENilGJcgMwEXF+qByEKQ+vW4Vp4uzShRANCAARIDS51vr9Ihpnt+q5FIyjgIHCk
        lynex+5TnPwDoVJfLTB12yExyWtXs3qzr/YWhtAlShcCKDONrnn573/Jd+ux
        -----END PRIVATE KEY-----
        """
}
