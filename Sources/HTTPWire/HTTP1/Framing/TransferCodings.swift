internal import ProxydHTTPModel

/// The members of all Transfer-Encoding fields of a message (RFC 9112 §6.1).
struct TransferCodings {
    private(set) var isPresent = false
    /// Whether a member is not a valid coding (`token *( OWS ";" OWS parameter )`), or is `chunked`
    /// with parameters.
    private(set) var isInvalid = false
    private(set) var chunkedCount = 0
    private(set) var otherCount = 0
    /// How many of the other codings are the obsolete `identity`, which has no effect.
    private(set) var identityCount = 0
    private(set) var isLastChunked = false
    /// Whether there are empty members, that is, superfluous commas.
    private(set) var hasEmptyMember = false

    init(_ fields: HeaderFields) {
        for line in fields.lines where line.name == .transferEncoding {
            isPresent = true
            add(fields.bytes.span, line.valueRange)
        }
    }

    /// The number of codings.
    var memberCount: Int { chunkedCount &+ otherCount }

    /// Whether there is exactly one coding, `chunked`.
    var isChunkedAlone: Bool { !isInvalid && chunkedCount == 1 && otherCount == 0 }

    /// Whether there is only the obsolete `identity`, which has no effect.
    var isIdentityAlone: Bool { !isInvalid && identityCount > 0 && identityCount == memberCount }

    private mutating func add(_ bytes: Span<UInt8>, _ range: Range<Int>) {
        var separatorCount = 0
        for index in range where bytes[index] == 0x2C { separatorCount &+= 1 }
        let countBefore = memberCount
        defer { if memberCount &- countBefore <= separatorCount { hasEmptyMember = true } }
        ListMembers.forEach(bytes, range) { member in
            let end = ByteScan.endOfToken(bytes.extracting(member), from: 0)
            let name = bytes.extracting(member.lowerBound..<(member.lowerBound &+ end))
            let hasParameters = end < member.count
            isLastChunked = ASCII.equalsIgnoringCase(name, "chunked")
            if isLastChunked { chunkedCount &+= 1 } else { otherCount &+= 1 }
            if ASCII.equalsIgnoringCase(name, "identity") { identityCount &+= 1 }
            if end == 0 || (hasParameters && isLastChunked) { isInvalid = true }
            let rest = ASCII.trimmingOWS(bytes, member.lowerBound &+ end..<member.upperBound)
            if !rest.isEmpty, bytes[rest.lowerBound] != 0x3B { isInvalid = true }
        }
    }
}
