internal import ProxydHTTPModel

/// Faults that are accepted only in responses, and only in tolerant mode.
extension HeadScanner {
    /// The current field name turned out not to be a token.
    mutating func beginInvalidName() throws(WireError) {
        guard isTolerant else { throw failure(.badFieldName) }
        phase = .invalidName
    }

    /// Such a name may contain anything except line ends; a line without a colon is not a field.
    mutating func scanInvalidName(_ byte: UInt8) throws(WireError) {
        switch byte {
        case 0x00, 0x0A, 0x0D: throw failure(.badFieldName)
        case 0x3A:
            nameEnd = position
            lineName = .other
            isNameInvalid = true
            phase = .valueStart
        default: break
        }
        position &+= 1
    }

    /// Skips a control character in text; a bare CR and NUL are never accepted.
    mutating func passControlByte(
        _ byte: UInt8, as repair: ResponseRepairs
    ) throws(WireError) {
        guard isTolerant, byte != 0 else { throw failure(.badFieldValue) }
        repairs.insert(repair)
        position &+= 1
    }

    /// Ends a head of complete lines that lacks its empty line; returns false if it cannot end
    /// here.
    mutating func endUnended() -> Bool {
        guard isTolerant, phase == .lineStart || phase == .finalLF else { return false }
        repairs.insert(.missingEmptyLine)
        phase = .done
        return true
    }

    /// Whether a name that is not a token might be intended as a framing field: other recipients
    /// may ignore some of its bytes.
    static func isLikeFraming(_ name: Span<UInt8>) -> Bool {
        var letters: [UInt8] = []
        for index in name.indices where (name[index] | 0x20) &- 0x61 < 26 {
            letters.append(name[index])
        }
        return ASCII.equalsIgnoringCase(letters.span, "contentlength")
            || ASCII.equalsIgnoringCase(letters.span, "transferencoding")
    }
}
