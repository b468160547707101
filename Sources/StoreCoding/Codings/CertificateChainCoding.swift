/// The `octets` column of a certificate chain: for each certificate its length (4 bytes,
/// big-endian) and its DER, leaf first.
package enum CertificateChainCoding {
    package static func encode(_ certificates: [[UInt8]]) -> [UInt8] {
        var bytes: [UInt8] = []
        for certificate in certificates {
            let count = UInt32(truncatingIfNeeded: certificate.count)
            for shift in [24, 16, 8, 0] as [UInt32] {
                bytes.append(UInt8(truncatingIfNeeded: count >> shift))
            }
            bytes += certificate
        }
        return bytes
    }

    /// Decodes the certificates up to the first damaged length; anything after it is dropped.
    package static func decode(_ bytes: [UInt8]) -> [[UInt8]] {
        var certificates: [[UInt8]] = []
        var rest = bytes[...]
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
