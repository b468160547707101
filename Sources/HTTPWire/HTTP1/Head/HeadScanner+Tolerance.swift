internal import ProxydHTTPModel

/// What only responses may hold, and only where all that clients take is taken.
extension HeadScanner {
    /// The present name turned out to be no token.
    mutating func beginInvalidName() throws(WireError) {
        guard isTolerant else { throw failure(.badFieldName) }
        phase = .invalidName
    }

    /// Anything may be in such a name but what ends lines; a line without a colon is no field.
    mutating func scanInvalidName(_ octet: UInt8) throws(WireError) {
        switch octet {
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

    /// Goes past a control byte in text; a bare CR and NUL are never taken.
    mutating func passControlByte(
        _ octet: UInt8, as repair: ResponseRepairs
    ) throws(WireError) {
        guard isTolerant, octet != 0 else { throw failure(.badFieldValue) }
        repairs.insert(repair)
        position &+= 1
    }

    /// Ends a head of whole lines that lacks its empty line; false where it cannot end here.
    mutating func endUnended() -> Bool {
        guard isTolerant, phase == .lineStart || phase == .finalLF else { return false }
        repairs.insert(.missingEmptyLine)
        phase = .done
        return true
    }

    /// Whether a name that is no token might be meant as one that says where a message ends: other
    /// recipients leave out other bytes of it.
    static func isLikeFraming(_ name: Span<UInt8>) -> Bool {
        var letters: [UInt8] = []
        for index in name.indices where (name[index] | 0x20) &- 0x61 < 26 {
            letters.append(name[index])
        }
        return ASCII.equalsIgnoringCase(letters.span, "contentlength")
            || ASCII.equalsIgnoringCase(letters.span, "transferencoding")
    }
}
