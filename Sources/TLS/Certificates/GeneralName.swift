internal import ProxydCOpenSSL

/// A name in a certificate (RFC 5280 §4.2.1.6), of the kinds used to verify servers.
enum GeneralName: Equatable {
    /// A DNS name as written: printable ASCII, with anything else replaced by `?`.
    case dns(String)
    /// An address; in name constraints, followed by its mask.
    case address([UInt8])
    case other

    /// Reads a `GENERAL_NAME`.
    init(_ name: UnsafeMutablePointer<GENERAL_NAME>) {
        var type: Int32 = 0
        self = .other
        guard let value = GENERAL_NAME_get0_value(name, &type),
            type == GEN_DNS || type == GEN_IPADD
        else { return }
        let string = value.assumingMemoryBound(to: ASN1_STRING.self)
        let bytes = UnsafeBufferPointer(
            start: ASN1_STRING_get0_data(string), count: Int(max(0, ASN1_STRING_length(string))))
        self = type == GEN_DNS ? .dns(PrintableText.ascii(bytes)) : .address([UInt8](bytes))
    }

    /// The DNS name; nil for other kinds.
    var dnsName: String? { if case .dns(let name) = self { name } else { nil } }

    /// A DNS name or an address for display; nil for names of other kinds.
    var text: String? {
        switch self {
        case .dns(let name): name
        case .address(let bytes):
            bytes.withUnsafeBufferPointer { PeerName(bytes: $0) }?.description
        case .other: nil
        }
    }
}
