internal import ProxydHTTPModel

/// The start line: `method SP target SP version` or `version SP status SP reason`.
extension HeadScanner {
    mutating func scanStartLine(_ bytes: Span<UInt8>) throws(WireError) {
        switch phase {
        case .method: try scanMethod(bytes)
        case .target: try scanTarget(bytes)
        case .version: try scanVersion(bytes)
        case .startLineEnd: try scanStartLineEnd(bytes[position])
        case .startLineLF: try scanStartLineLF(bytes[position])
        case .statusSpace: try scanStatusSpace(bytes[position])
        case .status: try scanStatus(bytes[position])
        case .reasonSpace: try scanReasonSpace(bytes[position])
        default: try scanReason(bytes)
        }
    }

    private mutating func scanMethod(_ bytes: Span<UInt8>) throws(WireError) {
        position = ByteScan.endOfToken(bytes, from: position)
        guard position <= limits.methodByteCountMax else { throw failure(.methodTooLong) }
        guard position < bytes.count else { return }
        guard bytes[position] == 0x20, position > 0 else { throw failure(.badRequestLine) }
        methodEnd = position
        position &+= 1
        phase = .target
    }

    private mutating func scanTarget(_ bytes: Span<UInt8>) throws(WireError) {
        position = ByteScan.endOfTarget(bytes, from: position)
        guard position <= limits.requestLineByteCountMax else { throw failure(.requestLineTooLong) }
        guard position < bytes.count else { return }
        guard bytes[position] == 0x20, position > methodEnd &+ 1 else {
            throw failure(.badRequestLine)
        }
        targetEnd = position
        position &+= 1
        versionStart = position
        phase = .version
    }

    /// Scans `HTTP/` in upper case, a digit, a dot, a digit (RFC 9112 §2.3).
    private mutating func scanVersion(_ bytes: Span<UInt8>) throws(WireError) {
        let byte = bytes[position]
        let isGood: Bool
        switch position &- versionStart {
        case 0: isGood = byte == UInt8(ascii: "H")
        case 1, 2: isGood = byte == UInt8(ascii: "T")
        case 3: isGood = byte == UInt8(ascii: "P")
        case 4: isGood = byte == UInt8(ascii: "/")
        case 6: isGood = byte == UInt8(ascii: ".")
        case 5:
            isGood = ByteClass.isDigit(byte)
            major = byte &- 0x30
        default:
            isGood = ByteClass.isDigit(byte)
            minor = byte &- 0x30
        }
        guard isGood else { throw failure(role == .request ? .badRequestLine : .badStatusLine) }
        position &+= 1
        if position &- versionStart == 8 { try checkVersion(bytes) }
    }

    private mutating func checkVersion(_ bytes: Span<UInt8>) throws(WireError) {
        if major != 1 {
            // RFC 9113 §3.4: the preface starts with `PRI * HTTP/2.0`.
            let isPreface =
                role == .request && major == 2
                && ASCII.equalsIgnoringCase(bytes.extracting(0..<5), "pri *")
            throw failure(isPreface ? .http2Preface : .unsupportedVersion)
        }
        phase = role == .request ? .startLineEnd : .statusSpace
    }

    private mutating func scanStartLineEnd(_ byte: UInt8) throws(WireError) {
        guard position <= limits.requestLineByteCountMax else { throw failure(.requestLineTooLong) }
        guard byte != 0x0A else { throw failure(.bareLF) }
        guard byte == 0x0D else { throw failure(.badRequestLine) }
        position &+= 1
        phase = .startLineLF
    }

    private mutating func scanStartLineLF(_ byte: UInt8) throws(WireError) {
        guard byte == 0x0A else { throw failure(.bareCR) }
        position &+= 1
        phase = .lineStart
    }

    private mutating func scanStatusSpace(_ byte: UInt8) throws(WireError) {
        guard byte == 0x20 else { throw failure(.badStatusLine) }
        position &+= 1
        phase = .status
    }

    private mutating func scanStatus(_ byte: UInt8) throws(WireError) {
        guard ByteClass.isDigit(byte) else { throw failure(.badStatusLine) }
        status = status &* 10 &+ Int(byte &- 0x30)
        position &+= 1
        // Three digits follow `HTTP/1.1 `, which has nine bytes.
        guard position == 12 else { return }
        guard status >= 100 else { throw failure(.badStatusLine) }
        reasonRange = position..<position
        phase = .reasonSpace
    }

    /// Some servers omit the space if there is no reason phrase.
    private mutating func scanReasonSpace(_ byte: UInt8) throws(WireError) {
        if byte == 0x20 {
            position &+= 1
            reasonRange = position..<position
        } else if byte != 0x0D && byte != 0x0A {
            throw failure(.badStatusLine)
        }
        phase = .reason
    }

    private mutating func scanReason(_ bytes: Span<UInt8>) throws(WireError) {
        position = ByteScan.endOfText(bytes, from: position)
        guard position < bytes.count else { return }
        switch bytes[position] {
        case 0x09: position &+= 1
        case 0x0D, 0x0A:
            reasonRange = reasonRange.lowerBound..<position
            if bytes[position] == 0x0D {
                position &+= 1
            } else {
                repairs.insert(.headLineFeed)
            }
            phase = .startLineLF
        default: try passControlByte(bytes[position], as: .reasonControlByte)
        }
    }
}
