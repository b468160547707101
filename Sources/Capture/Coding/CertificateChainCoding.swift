/// The `octets` of a certificate chain: each certificate's length (4 octets, big-endian), then its
/// DER, leaf first.
enum CertificateChainCoding {
    static func encode(_ certificates: [[UInt8]]) -> [UInt8] {
        var octets: [UInt8] = []
        for certificate in certificates {
            let count = UInt32(truncatingIfNeeded: certificate.count)
            for shift in [24, 16, 8, 0] as [UInt32] {
                octets.append(UInt8(truncatingIfNeeded: count >> shift))
            }
            octets += certificate
        }
        return octets
    }

    /// The certificates; what is behind a damaged length is left out.
    static func decode(_ octets: [UInt8]) -> [[UInt8]] {
        var certificates: [[UInt8]] = []
        var rest = octets[...]
        while rest.count >= 4 {
            let count = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
            rest = rest.dropFirst(4)
            guard count <= rest.count else { break }
            certificates.append(Array(rest.prefix(count)))
            rest = rest.dropFirst(count)
        }
        return certificates
    }
}
