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

    /// P-256 with explicit parameters: `openssl genpkey -algorithm EC -pkeyopt ec_param_enc:explicit …`.
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

    /// RSA of 2048 bits with an exponent of 100: `openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_pubexp:…`.
    static let longExponent = """
        -----BEGIN PRIVATE KEY-----
        MIIExgIBADANBgkqhkiG9w0BAQEFAASCBLAwggSsAgEAAoIBAQCog2WvC2Uut+we
        iRuxhr9SXxRHOc9sc+oMmQ+XDAPOkJe5WDvv+U6Kll9E3WjDQT1s6CmiqLa1pEgP
        sE0DlyWrqu5uRX8to6fm4jISY99xCUbB0eNo3u6UB2bIVT4T5xccCmeHTFCrajWO
        g93IYGhiM6blwnmtSNAQr5JZMPEAwXeJc2pkEvh634IjI3Z1gxUTCch8eCFl6UEJ
        W+Ny+1/+UW9TyvUQCTnyhwa7bCFNnIhv3e6EFbnP+3VFCPNrY3GX/jTj7X4+l3lQ
        ciSp1HVKzOC2LrlffI1tcjceCP12rR+6O197kaMRWcMcBoQvaf1NjaIPP/MrOSx/
        DfeenBpfAg0QAAAAAAAAAAAAAAEVAoIBACxIsoIYSGLOeziOAFc+YWLzWIdNIGwh
        6HcsooZjVqbwMph87j5kedI7JXxpwZKbZHgBRK5sHWxme/oVFWvp118vuTPMvHuP
        Eb2tEIRM6hecB4B1YXKuXELa3iiO5VJi9hxZwDuEvV9IEB1gwcOf1TKenHDqCqoP
        5ZOG8vr/W3JeV1USGnuJYxwMycduiT5Fc4wcCS3I2QE5IPP0yga4fFDj/y30HckE
        MjYQ7L8auUScUrivsqq/6G0djFwjT8RTEllMU6aIA9kv9e3Dpx5MqxXT3feb8z8E
        DdzlLZYyDpWx6pqrq2ENwSOeWw4eZcsSOzpVmUeFCOKLrm+MIheEM00CgYEA2HKS
        b7Ej+Ol2wrNrs9rzao408OlL+fRf+N/C8ndbZ07gw6sVcGrxKT67EEsTjnAHGlOo
        m6mHBBrCtAWQG6DHtLMer9a9PCJATbICJLNITUd5IGqgQKnmL6RYOdxhnw6eBoLr
        AeOVqTPPeACCVhb54OykaBER0L8jt5oc6iPtrwkCgYEAx051BjLr05yE970EAOHa
        LWKROiyoyofDSdlZGe8Nlj3HQMXYG4eoameF/LTLntGl42fPgDGrQEk2fQ1eYces
        FTnivGJkwD7RV5+2w1rlMsTo4C8ktY7rXz/R+t+I+EewvZKfq8mBKEtMspOSjrdE
        Nu/j1hl/jNqhkZk2Faxe8CcCgYAEFqpmfRmwCAqiR+e5xnpTausfSyElkzh3FKkr
        O4n7L6Z80niKcvYMtbGYp88V2EWqLGwLwvg7vMYCwC8WIN1SB8A0mHBow9IBxtf/
        v1a8wNrwcArKFU/sNKVxl1b4lp6TyLH+9QT443XMBm8KU2YKbaVYjDzlMvylKeog
        m2ZVdQKBgFalOkOR2zRegMZdKAs+XrOo5kNrzXafh+JNhrnZMoMovfZCG7w5q4IC
        V1jXJFqcH5YJwp6mIqHIV8RSC8ADS0C6oyIPnUCujn1epyvt93V7aDif3o313zQQ
        TE2/11X7cSvFONCjgGDph8oQPKbp7P9PjpRekArQPIl7YEUVp/6xAoGAe6rsKLzP
        XvQaLTOV5/APCfJAhOSDxKsboPBytVNA8OOceqoNuia/mthOId6JtIu2o2N7PZ5F
        eak0KOCGMog15j7zmLrlwKXmsJ6FYPOai3xfsmxicWPBy2DnnfqnDXk+O0UbumGh
        2yuL3eBmO7f089EPo7kfDpcuLbT+19M7oZg=
        -----END PRIVATE KEY-----
        """

    /// RSA of 2048 bits with both exponents 1, so that signing and verifying do nothing.
    static let exponentOne = """
        -----BEGIN PRIVATE KEY-----
        MIICuQIBADANBgkqhkiG9w0BAQEFAASCAqMwggKfAgEAAoIBAQCJtWx+4Mtzk/Gv
        Dfcj1OHJhEghmZpRLKudRwnpEZp9flUeed4j3Befd7eSuNxHK8GHwFOqc3E3VKAh
        RByjmd91mcLmwULEK6miUdwBymdJrGjghrlQXewnulQerVlDkYfeE08kjdGLXfKk
        KkOFm3YhaODLE1rYtlotcbQGIoXRgeMONaj+HCkdCDoPK9foIsZfbxjW+9ZGXw+T
        5sQBto5Kb1vZydvzGMwAfE568l99DPWzOodcKWqHwwMkXTRDPjcC1VPQS9GfL1KM
        sVDiwVl8SLaytNgZWEgaTQR2uMZeAA6PjN6AGNngovO5jSLg61yEhM5vkP4Ebxc3
        aYSLEviDAgEBAgEBAoGBALy/5kyjfDnKX5EEga1gKw0ZXb79ISZqKUrEeiJ2NgYi
        fwpBiW8pYm610usLukqbVL1xD4bfCSAUbJyC/U0QPmDfDXmA4uBkh9nzDfck46+a
        Lnc/3XEo19STK1N+gsvSPPo0OTiqEkn88t2wvHq+3XnaooXH8oAEC0HHMjn2A5d1
        AoGBALrGA7mS+Cy1ftusVP6KAZW1zq/h1qBYx/noWE21R7KxdDVpHl8L4B4rGxfM
        kbh+LqSREIlAOXQ0tdbT2jxp+6OatYKEot+Y771BpvoQldXQyZ7SRE4LKoQ4tS2j
        M7OvF9puRXIe+RVY4r3DaVyeACtJGLmlSnQM3FGvAVf+UEkXAgEBAgEBAoGAcIB/
        om88uFUM8j11aTvyFRped97kzNc8H7NVZG42t0TAShH/ay5W/e/ySL/9nx6mAJs9
        OW1eSi8RMD/779kcRCiDWJjObqbpdM3X6mmljBYPCghBfFuz62BW53oZs4tt7tG5
        ULYrhkKtTfTrhhcgQ5QFm4SdwCFTUTKqtmwV7G0=
        -----END PRIVATE KEY-----
        """

    /// RSA of 2048 bits with the public exponent 65536. Its other numbers are not there: it signs nothing.
    static let evenExponent = """
        -----BEGIN PRIVATE KEY-----
        MIIBOQIBADANBgkqhkiG9w0BAQEFAASCASMwggEfAgEAAoIBAQCJtWx+4Mtzk/Gv
        Dfcj1OHJhEghmZpRLKudRwnpEZp9flUeed4j3Befd7eSuNxHK8GHwFOqc3E3VKAh
        RByjmd91mcLmwULEK6miUdwBymdJrGjghrlQXewnulQerVlDkYfeE08kjdGLXfKk
        KkOFm3YhaODLE1rYtlotcbQGIoXRgeMONaj+HCkdCDoPK9foIsZfbxjW+9ZGXw+T
        5sQBto5Kb1vZydvzGMwAfE568l99DPWzOodcKWqHwwMkXTRDPjcC1VPQS9GfL1KM
        sVDiwVl8SLaytNgZWEgaTQR2uMZeAA6PjN6AGNngovO5jSLg61yEhM5vkP4Ebxc3
        aYSLEviDAgMBAAACAQECAQECAQECAQECAQECAQE=
        -----END PRIVATE KEY-----
        """

    /// RSA of 2048 bits with an even modulus. Its other numbers are not there: it signs nothing.
    static let evenModulus = """
        -----BEGIN PRIVATE KEY-----
        MIIBOQIBADANBgkqhkiG9w0BAQEFAASCASMwggEfAgEAAoIBAQCJtWx+4Mtzk/Gv
        Dfcj1OHJhEghmZpRLKudRwnpEZp9flUeed4j3Befd7eSuNxHK8GHwFOqc3E3VKAh
        RByjmd91mcLmwULEK6miUdwBymdJrGjghrlQXewnulQerVlDkYfeE08kjdGLXfKk
        KkOFm3YhaODLE1rYtlotcbQGIoXRgeMONaj+HCkdCDoPK9foIsZfbxjW+9ZGXw+T
        5sQBto5Kb1vZydvzGMwAfE568l99DPWzOodcKWqHwwMkXTRDPjcC1VPQS9GfL1KM
        sVDiwVl8SLaytNgZWEgaTQR2uMZeAA6PjN6AGNngovO5jSLg61yEhM5vkP4Ebxc3
        aYSLEviCAgMBAAECAQECAQECAQECAQECAQECAQE=
        -----END PRIVATE KEY-----
        """

    /// RSA of 8208 bits: `openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:8208 -pkeyopt rsa_keygen_primes:5`.
    static let rsa8208 = """
        -----BEGIN PRIVATE KEY-----
        MIITqwIBADANBgkqhkiG9w0BAQEFAASCE5UwghORAgEBAoIEAwCbavTiiikdByE1
        76kqa4ms4nSKkFiRoLwJFQaJt883n+hf7FD3jbvpelytoPdWAwYdwYX59HLqD5Bg
        KrGYTqxMMvH3bryEv+Q0HoFndNJP5B9KfYoGLs45wmxc97kWKvXYd0g84ViaaVA/
        pnCIdoe0TqTK8R9oJyzF3CbX1y/NZOzyvQVJ6Kgh9phh5EDwq7OMhlLJugNyCpjf
        ov6Z8R+uXkCWHLBoTZLWGk5xv/GrHEEE7F5I8c/HXVVBYkhNJdpXLrw0dPSEDclY
        +Y+VM4ZwHTD91OZM5JaJEF5IFzaSqDj6NKxukk/drhNZnVtNmldn1RQddZH5cAN1
        xnI9DvZoLkwQ71RxtNHCvOOM1goXoV0iRnQ4vVsMVV8l078OaoHzKIHt4UNvmf3Z
        wFTZc+eNBQ2g8ZPXx3cAjLHWrYykjX8bvffThAeiuvnsp3AZ4qlc1C3iJxhEaLJ3
        0C/hXt0Gq6XRibxUj6LNmKkPzKPgftmp4hByHhAkgf8rtOHvyxYx7qp3P7K3iRWF
        aUcu4i8aImgYEnFWFXxpGGbuoqxHPFplwYsPqSHWWVG8/ISApYjd7GjgOEWtsG2X
        Aqw5+Lh9U4ScDkToino8ZskE46ud1GpfC/PuU2L00XzBNiSeJGZxrHQcUDF5M67A
        OKPV+dp3t76PJOhcKcF89KHOQWF3YPBOqRDtnS0DX44TAYTGcVsjr8DsExZFF5sL
        dxcBXDTwltseDT7M25NXWIlb2aX7HNpYuRmHVzelg8uSMZLP3Kk0tsPUo0NzBk9S
        PW68ahNmB59WnjRiC9Umwa2Hf9nsFeD5t9YBhxOtz9ANPaZrKmAVGwcdgwWzdpuO
        Wty9CuKIkuKPEt6neRZ2H+pRXntFaR3Epjm85vLCwTtq2S445AV33z4pkW4TcSLK
        CGnxPmH2LhQNYH8uE4/sDwiv1EoMvpN5H0r1I2MUO2JPFoy2INJz9hgG/aGYozyr
        hqLJ2J/+xPNoeVPwLzK1Y7w9PaDG5PfJQplOkb3LQXAzgKghwCV26eAuykLt14+N
        5cuAYz3PMtpBQd1K2sLstB9qFMiOf/iG4kSlR9cg/waxN0twUCpgEHJZ/GKbWNJt
        V0b6vH5QPD/nPd2C/SqySvYXS2B93vww3zcXuMwjNBWBA84lBWSIn8xnCKYlhzol
        7l9ke8UTHrno21oGj9lTJ4IfjkNMRyRAFRvkcDGE5FkkfaD7APClzYSJzVeIPkM+
        +2BgGAka3whDjHV0UsL/tUuc/wx6jTBvxUNRQlNAJoavYMQH3Mm1xvHjl9f3lJdq
        uDo3kIFAcpewZIG3BpyjCxzV2egFq1N4NshcC5YM8EZ/5jIXuViRzkJfsCec2WX4
        XwPV8fMhx50CAwEAAQKCBAJ+XhXlSN8q+gwX1dkfY7baunp12+4X4rBhVhYtziWP
        ndaMgBJJZpXevh4zEwlohybm9N5hoU/6XlNOzgf+xiE0B8xUGlbwPTJo6lDfdM44
        JU0H/VFHu7D0p9ACO23jx2SD8GDtF3E6g9y7FDK10mJ+yd8WH74gqpGuA1YV86Kr
        h59dszFkqeZjTyURm0zuIz3nSaRw321DwbgRRm9rbfILjhlHtOX+uOxmZ5dWx/HQ
        5jU7spDrEKqX+JyEgEw3ZkrEznw6zsmtwaPwU2JZx6dpR13FlDS/HuMk1DQSe5Ux
        wwvgq+8+CCX1vFQh/IIHjoUxVk802+pcag2M89aLjZbXlaeMGKiHSUsmaxRZWF58
        thAqurk0Hef0EvKBaQLuTgfYf3RL+KNXCoegF15i9a/1eo28xUDnSa5/rBEwmRsc
        09M3H03h5kz3G8x/9fnqJtFJcITo7zvob6pS7Lqu/He3zONzgyLDJVW/rtJR9XyJ
        ezQC1S5BR5GNCci2uJMHqrXny3sSvz84kRsFA7DCiy6XLaNUHYrU/Lusfhch9N51
        yBPN/jJSbz4lfTuXId6h8vhuTRn0uYHYhNVaZDfcrDklvR4MN24UoXWHJnxhysgd
        dMkEMt1/1nXYuO1GdvCdP9TVK98pBANqnxVWXrED8pvZfM/WrGEI0jVqRo+cpxl+
        9j1BrafFecGjh2RU+O8bkqfHGQDmzTZno+hSsWVcmq0WYPU2as+vQyvo04PVZEyr
        XDcx3j8kDcHXwmqSfp63HB4cprdmcuLjIzYShhLdws1407izQo5LTbeYgIdGiRXW
        b/JtxWOFkLxnvuqJgTxMRS8zJG/PtqbNg9Pctvx9sexpZHRb1YqKsd+loHJrHyb0
        4zIPYRLXeocBqRoa8CJP32BjN1vk+zeUbsPsnzvUH2PMOwCwl15H/+UH+aUPnbye
        WrJuS3Yr38HW4xIDXYmFB2jaTCXHmU+Ei+qDk2yp9nDBNKcKphZXuQigsTIikgK4
        uLL/l6/nE+R0SrDe2WGqYw887DJ14e7xKVQPT5Du9kNYRlDJ57Hgcj6JC4/RVMBv
        9JpPGCqny2mpl84VFCBwIpvBcRuQm/+mGxPYWeCKrS6FE8pI8MpG4tfoX+FUupEG
        kRD52Lymucolmm0JyOkE46Ws1Y8VqtHzJgGFrsapvO+2jTdvd7ABELkpeahRhiB5
        wfqKTxtc5bGTySTOXI3xcwrnXuxIhYTe0I5M4LBDOgD0bcnU5Aq93AfXT8+6qGVy
        hWfwGAEY9e4uX/F9aA89R8+AlnfXIS9MZmyNZ9i65ICSwuXsyjAky9bZsZ5Y317u
        2DP4ueoXgN1O9xXTs+CXOowaPVm0C9dFuUA1dUJbF13M1gECgc4Dmzzvd4LC9lsT
        0ZKjrG1TlODry/mTai9B8frp0mBScsQDZPXjq5OaQKf8EJUkhfwhDsvuquYddTwj
        tGNSft4zBNpVF+zpgekAj+IvY45Iwx0AUjJAkCH1b+8/N/rZCAFDxgVoxdlP7W1q
        /I2sxN/9Hq24XNUCQqiD3qB/324w9+3RuWcEYmdlj6SExfCDFO1j6qLGkQsEcllg
        S9lsKvzWhr1Q/4UujQmSYNqTQM06Wf7IEI+5rDFJxvfHpERDlUDAFAdZTqDnO3lz
        fvhihwKBzgMU0X8KgpekQ3dXgVRUgG2G4b3NT6IkNLAfblOo7bZhFwOZCGaWAMOz
        4Z9zX7klqHpHnw8ywN8IyoIZnklRkSELlc3wgAVArlr2cYanYfpFsTly8P910T17
        Jc5Zt36IT3xZJGqEWE5+e5or3aae9zSp3CbuZwbAorPsBapfneB6AZwh0WwyeOI0
        q//899xlUYJAHcytXmxyVLAuwUsP4haiSmDanUMFbZ4gVgV3nxAVOAghHWBYkY/H
        2OyjzA8d9jnrUH/GQEaDg/dfMe3hAoHNJTf1p2m8FlZhnCc/NepKXkwa9WQgTz2M
        eQbWekarzDiesmk/PmF67HRZMwnwKP6bDo+mFXmlYl6ESfdfEgI/KEjs+UPxvez4
        utQxeN/5ivQWWTnxZF4aGOMaN1WDflEevFLngGJcWIP6tie3+U/WUnBKaGOl7a4B
        cu4heY5lpvkNZV4DzTvB2mKVf61Me4F+b60UODCrgzibKzOeqrT6qP/kzgg+ci0a
        m5D0Mr6TRaGByzkgERMDmGPQxoyB9PhhRe1t6j+OUtV4lHvK7QKBzgDYRFfAWe2Z
        a6Xcp+inAk8FG/8duyeJJajj9SuatRG7rMOfwV3e4nbFaqZ8y1HHsVlVKZbRI3AC
        yQLCY1NWuaOFuZysw2ytPyBRUO7KFWK4mM5XZRulAakJimP41QYr+R7ukb1ia5OZ
        uema/Tohe0VFDMbftf9z8SfDHgqIDJDu4mIcI362l83tAvs8L/iNDrvXOFRVc/3n
        mrBzISujPylVdW74gQVPB67CztLQ6RtPtf0ElzlDDyWMdTzr65Z5cHiQu5FMmXK7
        vAKmZtoBAoHOAuRROnnhGKINxYH7E5Z+vmTC/IBe6Pc9WLYVwG5ObrJ23qw5pTW+
        vnWaTq6J1WrzuPHLytywyV/9AdAJhbJ2ubzAB8tB1AtStR5lGyhzf+E8Ex6KdLXd
        F/OODeM1EYqrwCT/fvfUIpV0/zIVwpX6jyErqWBCCJFkFWk2IZW2xiGXzTPtaTwk
        IIfY6Bt161437U9Vp0phZ1GvN4bBVwerxeY1l4Dmm8R6+Mg+mKYT+VJfBCUHfaPK
        oHwcDJGPogD+Zh4FL7hFN+Yv/TWUVH4wggdkMIICcwKBzgOgHIsOA63e8porD12A
        IDd2sgY6LKTk3YAOfHSIMkRURChzNfB9Ct6m7j1ewhhjP027EVykDpM0jZGs4dgc
        eBFf1ZW4zUD0AcYrwtONShaE9LAER8qnrqPTOAhLP6Bkk8H0QDKr4xf+QhIwQjxL
        vMTKbY2Jzj+ky6omoOumHShZqsnuBsWvZF3DrY1+F8yEu+2oN7wOWyU7Fg/hRey1
        /tpkLwyszJNhka9PNgxC3JFTgKrk5LPu/ZYYrXQId9AXEqZbGOku2/pCG9kzcYjD
        AoHOAXrzjJd5Sxn4BpjEWlIBVYQiZkaEigNkqW/AwzgFBj894SJBiOMVeBnCts4l
        BB4p78wM572YseRIVY24XSwqnjV6GPru27GFs+uUThqngJBi9CebRJS4yu1oOIK5
        BP1sE0pumAH05IwNYC3SLZpjBhr9Jkh5LSVVfzDsjasyxpHuGSsWGstleJ94EojE
        oN4leYEw2JkoAAijFnLNwTwCRhuX1l4L3bV97Y2zLMh0FOZ6Z8yz0QApDIsg73qx
        qQZyt/gEMNnQOduaUVIe7k8Cgc4AmuwzBvNkNXVHk5cmoNrQFioaOgqN4KPVzMYN
        J+YupQljTA8tibbfkhJud7Ds6Ac8N4Hyv1EDPappSdZFmTn1WYhL9lTOXQI4SF9q
        3e0OedsMhNVY2TBnrfLdvfk74776UtImFg3Oo6edLVnAD1kV6U7UzbVGEolsBvki
        FtGKkfY2vapS8GMaHxGXCBYOvKgfkcAk3K22rFV2q2yN4yAnrl4H9iODccBHaUoe
        YWg4Ly5IMwXKp5zEAqllhCEbzW2BYdnmVnspsu3LXw/wzjCCAnMCgc4B87zwnEdL
        UCKvhvM8w75coXZ+C+srAICeBS/ZHQyWbfpDkRZThfcTrwY+6MZQ65miAzbRYSz4
        IkDQb9qxGAfJ9iQKGRSQgniCc+Ak0FBw5OQW3FxW9W2wdCrwHznKe7pzWxp6ujuu
        AdG2SBgbo/rriE1bLyt6XA6xQ0JrwjmlNF+b1La9Ii0QzhWkNscadconRZtn76jN
        EW/g2IA3qMziLkO59Ugg1p5rSZs7iqdEOSpCXtYW37CPu5wVqvtVnTtQDOJGJxKW
        5SWZlXflCwKBzgCDuBdLedc2Bg5x6YboqTJNNKhAh/nLphsAjv4RFBJKZp6MjW/y
        bY94oJLQVAVcNCBp7Hb/wBSfIqpN8Tygct0ezZ0Dw1HbsdvgowHRDoLTMfN8nbIl
        +oV5+R9Ve6wNNLXXG4GhuL1CqX38Pq56aFbQlGMmabVUsmKysb0pcnxC87hlNs1f
        RrWZPEcOUSh+R4xWYoHgv4Ndxzlil1kUWvx66UsIhbxyFUt+GTZ2c2QeFS9tQ8y/
        pRAdiSSE7r5ANTQCUVngTpwLRf/XT8TFAoHOAQyW/3RXvQTmILwgNbkdkH+2Ialh
        a2qpsQp4SMuvESGtddUbfp0EXz2tYEpPoU6EBpbsS6Rrd3APrUbwfmDY9AxeShIg
        WNECTNAd5tqnQ/IaZbnOyky5L2EMLuJ6tPF7+b/N8Zk8WtKzJjM6TdTn3a1fNuJU
        NbB++pC1HNNv/7wOwzInQ5G0mn9ifqJWCH8Jaq5h/aaQ1uDJBOA6i1rv8zv3a+mF
        e3QQnN1oQWKixdF1XGTZGpcRq3stOq5kbILeCgePfPwkSxD+oYBL3FAwggJyAoHO
        AfnnMIP3zGEQX6gIZxc/dwR6KFIeSKCXC6ueyIavgtmNdfnFgXXQCZYmVku+2QUw
        l9VcyOakNmNc1zH1eTUFKNZRGpMZ643l83oY2sStgo8McHgQoqIevZ7JjpJW3PXL
        AuHNyoDozQUt7UStlU9Z32WIdgC/GVpYxTWZ8lPCtzAfVmz5NQ/zgb/F9njX/IEN
        48cNvVrVAfF/87DH8vyePl92gZBupsh3tb3K9RMbPJVzQquy56VFATVn0tBalpsb
        Nz41TZ2Wc7h0T2RqT/sCgc4AongbvZX8HgP7JGSmbvHj0B1HC7BMFL7Nca1Jqu98
        r09d3vwN6n8IRR9EwYil+6Oyb0QgBOohyWFMfu/doChrCAD97tX5LxX1TnXi9Bzg
        +/27tONqx3Pl47PJRLf+uDUdVNUZPrME/K/WLiMs+1Hai6n6c5zrkHdHxkINb9bt
        q9e0ksSpxNioB6WU1RRQNEX4q7l+4UfdGujDozdjkrtjPpc5XuAaUfEX/b7LW/p4
        R2q/s5J+EDaL/9G7A0zEZ0WjRSgrJ/vkaA16Xb5CtwKBzT/CHOc5V3sOeJk73xzx
        AGJPr5PB117ixVC/OP7WkKZ+U1NuYRO6s6zmJyg1cW3HzCtg0y1/+v1guxJZRy7O
        Mehufokrn7QPYccEXDg9oaKZlhSyh9LVzZfJGGEgWjWBD1WbJPbh6Wx9N1PcU/VG
        xpJzuKpD5BeBv6DJiILVbM/HQZd0LRpX8glvGW76rhLs47LjQ12/olaeNDUStBNC
        YxG4AK6YpWocsMxfg03Ta7ef6ALG2ixvnVlSyKYyYszhJOgOJuka0pwa5B++zEM=
        -----END PRIVATE KEY-----
        """
}
