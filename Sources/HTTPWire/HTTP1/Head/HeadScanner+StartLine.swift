internal import ProxydHTTPModel

/// The start line: `method SP target SP version` or `version SP status SP reason`.
extension HeadScanner {
    mutating func scanStartLine(_ octets: Span<UInt8>) throws(WireError) {
        switch phase {
        case .method: try scanMethod(octets)
        case .target: try scanTarget(octets)
        case .version: try scanVersion(octets)
        case .startLineEnd: try scanStartLineEnd(octets[position])
        case .startLineLF: try scanStartLineLF(octets[position])
        case .statusSpace: try scanStatusSpace(octets[position])
        case .status: try scanStatus(octets[position])
        case .reasonSpace: try scanReasonSpace(octets[position])
        default: try scanReason(octets)
        }
    }

    private mutating func scanMethod(_ octets: Span<UInt8>) throws(WireError) {
        position = OctetScan.endOfToken(octets, from: position)
        guard position <= limits.methodByteCountMax else { throw failure(.methodTooLong) }
        guard position < octets.count else { return }
        guard octets[position] == 0x20, position > 0 else { throw failure(.badRequestLine) }
        methodEnd = position
        position &+= 1
        phase = .target
    }

    private mutating func scanTarget(_ octets: Span<UInt8>) throws(WireError) {
        position = OctetScan.endOfTarget(octets, from: position)
        guard position <= limits.requestLineByteCountMax else {
            throw failure(.requestLineTooLong)
        }
        guard position < octets.count else { return }
        guard octets[position] == 0x20, position > methodEnd &+ 1 else {
            throw failure(.badRequestLine)
        }
        targetEnd = position
        position &+= 1
        versionStart = position
        phase = .version
    }

    /// Scans `HTTP/` in upper case, a digit, a dot, a digit (RFC 9112 §2.3).
    private mutating func scanVersion(_ octets: Span<UInt8>) throws(WireError) {
        let octet = octets[position]
        let isGood: Bool
        switch position &- versionStart {
        case 0: isGood = octet == UInt8(ascii: "H")
        case 1, 2: isGood = octet == UInt8(ascii: "T")
        case 3: isGood = octet == UInt8(ascii: "P")
        case 4: isGood = octet == UInt8(ascii: "/")
        case 6: isGood = octet == UInt8(ascii: ".")
        case 5:
            isGood = OctetClass.isDigit(octet)
            major = octet &- 0x30
        default:
            isGood = OctetClass.isDigit(octet)
            minor = octet &- 0x30
        }
        guard isGood else {
            throw failure(role == .request ? .badRequestLine : .badStatusLine)
        }
        position &+= 1
        if position &- versionStart == 8 { try checkVersion(octets) }
    }

    private mutating func checkVersion(_ octets: Span<UInt8>) throws(WireError) {
        if major != 1 {
            // RFC 9113 §3.4: the preface starts with `PRI * HTTP/2.0`.
            let isPreface =
                role == .request && major == 2
                && ASCII.equalsIgnoringCase(octets.extracting(0..<5), "pri *")
            throw failure(isPreface ? .http2Preface : .unsupportedVersion)
        }
        phase = role == .request ? .startLineEnd : .statusSpace
    }

    private mutating func scanStartLineEnd(_ octet: UInt8) throws(WireError) {
        guard position <= limits.requestLineByteCountMax else {
            throw failure(.requestLineTooLong)
        }
        guard octet != 0x0A else { throw failure(.bareLF) }
        guard octet == 0x0D else { throw failure(.badRequestLine) }
        position &+= 1
        phase = .startLineLF
    }

    private mutating func scanStartLineLF(_ octet: UInt8) throws(WireError) {
        guard octet == 0x0A else { throw failure(.bareCR) }
        position &+= 1
        phase = .lineStart
    }

    private mutating func scanStatusSpace(_ octet: UInt8) throws(WireError) {
        guard octet == 0x20 else { throw failure(.badStatusLine) }
        position &+= 1
        phase = .status
    }

    private mutating func scanStatus(_ octet: UInt8) throws(WireError) {
        guard OctetClass.isDigit(octet) else { throw failure(.badStatusLine) }
        status = status &* 10 &+ Int(octet &- 0x30)
        position &+= 1
        // Three digits follow `HTTP/1.1 `, which has nine bytes.
        guard position == 12 else { return }
        guard status >= 100 else { throw failure(.badStatusLine) }
        reasonRange = position..<position
        phase = .reasonSpace
    }

    /// Some servers omit the space if there is no reason phrase.
    private mutating func scanReasonSpace(_ octet: UInt8) throws(WireError) {
        if octet == 0x20 {
            position &+= 1
            reasonRange = position..<position
        } else if octet != 0x0D && octet != 0x0A {
            throw failure(.badStatusLine)
        }
        phase = .reason
    }

    private mutating func scanReason(_ octets: Span<UInt8>) throws(WireError) {
        position = OctetScan.endOfText(octets, from: position)
        guard position < octets.count else { return }
        switch octets[position] {
        case 0x09:
            position &+= 1
        case 0x0D, 0x0A:
            reasonRange = reasonRange.lowerBound..<position
            if octets[position] == 0x0D {
                position &+= 1
            } else {
                repairs.insert(.headLineFeed)
            }
            phase = .startLineLF
        default:
            try passControlByte(octets[position], as: .reasonControlByte)
        }
    }
}
