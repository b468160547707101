internal import ProxydCOpenSSL

/// An invalid extension, which makes the whole certificate invalid (RFC 5280 §4.2). OpenSSL ignores
/// some of these, and reports others as a different problem, such as a missing issuer, depending on
/// its version. So `DERSyntax` checks the encoding, and OpenSSL only the type of the content.
struct ExtensionFlaw {
    /// A description of the flaw that follows "it has".
    let words: String

    private struct Kind {
        let identifier: Int32
        /// The first byte of the value.
        let tag: UInt8
        let name: String
        /// The context tags of strings and numbers, for each depth below the value.
        let pieceless: [Set<UInt8>]

        init(_ identifier: Int32, _ tag: UInt8, _ name: String, pieceless: [Set<UInt8>] = []) {
            self.identifier = identifier
            self.tag = tag
            self.name = name
            self.pieceless = pieceless
        }
    }

    /// The extensions to check: those that browsers interpret.
    private static let kinds: [Kind] = [
        Kind(NID_basic_constraints, sequenceTag, "basic constraints"),
        Kind(NID_key_usage, bitStringTag, "key usage"),
        Kind(NID_ext_key_usage, sequenceTag, "extended key usage"),
        Kind(NID_subject_alt_name, sequenceTag, "subject alternative name", pieceless: [names]),
        Kind(NID_name_constraints, sequenceTag, "name constraints", pieceless: [[], [], names]),
        Kind(NID_subject_key_identifier, byteStringTag, "subject key identifier"),
        Kind(
            NID_authority_key_identifier, sequenceTag, "authority key identifier",
            pieceless: [[0, 2], names]),
        Kind(NID_info_access, sequenceTag, "authority information access", pieceless: [[], names]),
        Kind(NID_certificate_policies, sequenceTag, "certificate policies"),
        Kind(NID_policy_mappings, sequenceTag, "policy mappings"),
        Kind(NID_policy_constraints, sequenceTag, "policy constraints", pieceless: [[0, 1]]),
        Kind(NID_inhibit_any_policy, integerTag, "inhibit any-policy"),
    ]

    /// The names of the type GeneralName that are strings and numbers (RFC 5280 §4.2.1.6).
    private static let names: Set<UInt8> = [1, 2, 6, 7, 8]

    // The first bytes of values.
    private static let integerTag: UInt8 = 0x02
    private static let bitStringTag: UInt8 = 0x03
    private static let byteStringTag: UInt8 = 0x04
    private static let sequenceTag: UInt8 = 0x30

    /// The first flaw of an `X509`; nil if there is none.
    init?(in certificate: OpaquePointer) {
        defer { ErrorQueue.clear() }
        for kind in Self.kinds {
            let index = X509_get_ext_by_NID(certificate, kind.identifier, -1)
            guard index >= 0 else { continue }
            if X509_get_ext_by_NID(certificate, kind.identifier, index) >= 0 {
                words = "the extension \"\(kind.name)\" twice"
                return
            }
            let found = X509_get_ext(certificate, index)
            let value = Self.value(of: found)
            guard DERSyntax.isOneValue(value, tag: kind.tag, pieceless: kind.pieceless),
                copenssl_extension_is_readable(found) == 1
            else {
                words = "a malformed extension \"\(kind.name)\""
                return
            }
        }
        guard let constraints = NameConstraints(of: certificate), !constraints.isWellFormed else {
            return nil
        }
        words = "malformed name constraints"
    }

    private static func value(of found: OpaquePointer?) -> [UInt8] {
        guard let data = X509_EXTENSION_get_data(found),
            let bytes = ASN1_STRING_get0_data(data)
        else { return [] }
        let count = Int(max(0, ASN1_STRING_length(data)))
        return Array(UnsafeBufferPointer(start: bytes, count: count))
    }
}

/// The distinguished encoding rules (X.690 §8 to §11), as far as they can be checked without
/// knowing a value's type. Browsers insist on them; OpenSSL accepts more, depending on its version.
enum DERSyntax {
    /// The contents of extensions nest about eight levels deep.
    private static let depthMax = 32

    /// The universal types (X.680 §8.6) whose encoding has rules of its own, and those that contain
    /// other values.
    private enum Tag {
        static let boolean: UInt8 = 1
        static let integer: UInt8 = 2
        static let bitString: UInt8 = 3
        static let null: UInt8 = 5
        static let objectIdentifier: UInt8 = 6
        static let enumerated: UInt8 = 10
        static let containers: Set<UInt8> = [8, 11, 16, 17]
    }

    /// Whether the bytes are exactly one value, whose first byte (its tag) is `tag`. A type may
    /// give its strings and numbers context tags, which do not reveal what they are: `pieceless`
    /// has the numbers of those that must not be split into pieces, for each depth below the value.
    static func isOneValue(_ bytes: [UInt8], tag: UInt8, pieceless: [Set<UInt8>] = []) -> Bool {
        guard bytes.first == tag else { return false }
        var rest = bytes[...]
        return skipValue(of: &rest, depth: 0, [[]] + pieceless) && rest.isEmpty
    }

    /// Removes a value from the front; false if it breaks a rule.
    private static func skipValue(
        of rest: inout ArraySlice<UInt8>, depth: Int, _ pieceless: ArraySlice<Set<UInt8>>
    ) -> Bool {
        guard depth < depthMax, let tag = rest.popFirst() else { return false }
        let number = tag & 0x1F
        if number == 0x1F, !skipLongTag(of: &rest) { return false }
        guard let count = length(from: &rest), rest.count >= count else { return false }
        var content = rest.prefix(count)
        rest = rest.dropFirst(count)
        let isConstructed = tag & 0x20 != 0
        let isUniversal = tag & 0xC0 == 0
        // Only types that contain values are constructed: strings are in one piece.
        if isUniversal, isConstructed != Tag.containers.contains(number) { return false }
        guard isConstructed else { return !isUniversal || isPrimitive(content, number) }
        let isContext = tag & 0xC0 == 0x80
        if isContext, pieceless.first?.contains(number) == true { return false }
        while !content.isEmpty {
            guard skipValue(of: &content, depth: depth + 1, pieceless.dropFirst()) else {
                return false
            }
        }
        return true
    }

    /// A tag's number in several bytes (§8.1.2.4): above 30, without leading zeros.
    private static func skipLongTag(of rest: inout ArraySlice<UInt8>) -> Bool {
        guard let first = rest.popFirst(), first != 0x80 else { return false }
        guard first & 0x80 != 0 else { return first > 30 }
        while let byte = rest.popFirst() {
            if byte & 0x80 == 0 { return true }
        }
        return false
    }

    /// A definite length in as few bytes as possible (§10.1).
    private static func length(from rest: inout ArraySlice<UInt8>) -> Int? {
        guard let first = rest.popFirst() else { return nil }
        guard first & 0x80 != 0 else { return Int(first) }
        let byteCount = Int(first & 0x7F)
        guard 1...4 ~= byteCount, rest.count >= byteCount, rest.first != 0 else { return nil }
        let length = rest.prefix(byteCount).reduce(0) { $0 << 8 | Int($1) }
        rest = rest.dropFirst(byteCount)
        return length < 0x80 ? nil : length
    }

    private static func isPrimitive(_ content: ArraySlice<UInt8>, _ number: UInt8) -> Bool {
        switch number {
        case Tag.boolean: content.elementsEqual([0]) || content.elementsEqual([0xFF])
        case Tag.integer, Tag.enumerated: isShortestInteger(content)
        case Tag.bitString: isBitString(content)
        case Tag.null: content.isEmpty
        case Tag.objectIdentifier: isObjectIdentifier(content)
        // Marks the end of indefinite lengths, which these rules do not have.
        case 0: false
        default: true
        }
    }

    /// §8.3.2: the first nine bits are not all the same.
    private static func isShortestInteger(_ content: ArraySlice<UInt8>) -> Bool {
        guard let first = content.first else { return false }
        guard let second = content.dropFirst().first else { return true }
        return first == 0 ? second & 0x80 != 0 : first != 0xFF || second & 0x80 == 0
    }

    /// §11.2.1: the unused bits of the last byte are zero.
    private static func isBitString(_ content: ArraySlice<UInt8>) -> Bool {
        guard let unusedCount = content.first, unusedCount < 8 else { return false }
        guard content.count > 1, let last = content.last else { return unusedCount == 0 }
        return last.trailingZeroBitCount >= Int(unusedCount)
    }

    /// §8.19: numbers of seven bits a byte, without leading zeros.
    private static func isObjectIdentifier(_ content: ArraySlice<UInt8>) -> Bool {
        guard let last = content.last, last & 0x80 == 0 else { return false }
        var isAtStart = true
        for byte in content {
            if isAtStart, byte == 0x80 { return false }
            isAtStart = byte & 0x80 == 0
        }
        return true
    }
}
