internal import ProxydCOpenSSL
internal import Glibc

/// A host in a certificate: a DNS name or an address.
enum PeerName: Hashable, CustomStringConvertible {
    /// Lower case, without a final dot.
    case dns(String)
    /// 4 or 16 bytes in network order, and their usual text form.
    case address([UInt8], text: String)

    /// Parses `name`; an address may be in brackets.
    init(_ name: String) {
        var text = name.lowercased()
        if text.hasPrefix("["), text.hasSuffix("]") { text = String(text.dropFirst().dropLast()) }
        if let bytes = Self.bytes(text, AF_INET, 4) ?? Self.bytes(text, AF_INET6, 16) {
            self = .address(bytes, text: text)
        } else {
            self = .dns(text.hasSuffix(".") ? String(text.dropLast()) : text)
        }
    }

    /// An address from the bytes in a certificate; nil unless there are 4 or 16.
    init?(bytes: UnsafeBufferPointer<UInt8>) {
        guard bytes.count == 4 || bytes.count == 16 else { return nil }
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        let family = bytes.count == 4 ? AF_INET : AF_INET6
        guard inet_ntop(family, bytes.baseAddress, &text, socklen_t(text.count)) != nil else {
            return nil
        }
        let spelling = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        self = .address([UInt8](bytes), text: String(decoding: spelling, as: UTF8.self))
    }

    /// The name, or the address without brackets.
    var description: String {
        switch self {
        case .dns(let name): name
        case .address(_, let text): text
        }
    }

    /// Whether a certificate can be issued for the name: an address, or a DNS name of at most 253
    /// letters, digits, hyphens and underscores in labels of at most 63.
    var isIssuable: Bool {
        guard case .dns(let name) = self else { return true }
        guard (1...253).contains(name.utf8.count) else { return false }
        return name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
            .allSatisfy { label in
                (1...63).contains(label.count) && label.allSatisfy(Self.isNameByte)
            }
    }

    /// Makes OpenSSL accept only certificates for this name: by subject alternative name, never by
    /// common name (RFC 9110 §4.3.4), with wildcards only for a whole leftmost label.
    func require(of ssl: OpaquePointer) throws(TLSError) {
        guard demand(of: SSL_get0_param(ssl)) else {
            throw TLSError(kind: .configuration, message: "no name to verify the server by")
        }
    }

    /// How names are compared.
    static let hostFlags =
        UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT)

    /// Sets the same in verification parameters; returns false if there is no name.
    func demand(of parameters: OpaquePointer?) -> Bool {
        X509_VERIFY_PARAM_set_hostflags(parameters, Self.hostFlags)
        return switch self {
        case .dns(""): false
        case .dns(let name): X509_VERIFY_PARAM_set1_host(parameters, name, name.utf8.count) == 1
        case .address(let bytes, _): X509_VERIFY_PARAM_set1_ip(parameters, bytes, bytes.count) == 1
        }
    }

    private static func bytes(_ text: String, _ family: Int32, _ count: Int) -> [UInt8]? {
        // A NUL would end the text early for inet_pton.
        guard !text.utf8.contains(0) else { return nil }
        var bytes = [UInt8](repeating: 0, count: count)
        return inet_pton(family, text, &bytes) == 1 ? bytes : nil
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}

/// A name in a certificate (RFC 5280 §4.2.1.6), of the kinds used to verify servers.
enum GeneralName: Equatable {
    /// A DNS name as written: printable ASCII, with anything else replaced by `?`.
    case dns(String)
    /// An address; in name constraints, followed by its mask.
    case address([UInt8])
    case other

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

    var dnsName: String? { if case .dns(let name) = self { name } else { nil } }

    /// A DNS name or an address for display; nil for names of other kinds.
    var text: String? {
        switch self {
        case .dns(let name): name
        case .address(let bytes): bytes.withUnsafeBufferPointer { PeerName(bytes: $0) }?.description
        case .other: nil
        }
    }
}

/// Formats a subject or issuer as text.
enum DistinguishedName {
    private static let characterCountMax = 200

    /// In the form of RFC 4514, most specific part first, with everything but printable ASCII
    /// escaped, and truncated if it is too long to read.
    static func text(_ name: OpaquePointer?) -> String {
        guard let name, let bio = BIO_new(BIO_s_mem()) else { return "" }
        defer { BIO_free(bio) }
        copenssl_print_name(bio, name)
        let text = MemoryBytes.copy(of: bio).withUnsafeBufferPointer(PrintableText.ascii)
        return text.count > characterCountMax ? text.prefix(characterCountMax) + "..." : text
    }
}

/// Makes text from a peer safe for a terminal, a log or a page.
enum PrintableText {
    /// Keeps printable ASCII and replaces every other byte by `?`.
    static func ascii(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
        String(decoding: bytes.map { (0x20...0x7E).contains($0) ? $0 : 0x3F }, as: UTF8.self)
    }
}
