internal import ProxydHTTPModel

/// Repairs lines that a server may send, but that must not be forwarded: adds CRLF at the end,
/// removes white space before the colon, and replaces each fold with the white space around it
/// (RFC 9112 §2.2, §5.1, §5.2) and each control character (RFC 9110 §5.5) by a space; lines whose
/// name is not a token are left out.
/// Valid lines are kept byte for byte.
enum FieldRepair {
    /// `leftOut` contains the indexes in `lines` of those to leave out, ascending.
    static func repaired(
        _ bytes: [UInt8], lines: [HeaderFields.Line], leftOut: [Int]
    ) -> HeaderFields {
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count)
        var repairedLines: [HeaderFields.Line] = []
        repairedLines.reserveCapacity(lines.count)
        var leftOut = leftOut[...]
        for (place, line) in lines.enumerated() {
            if leftOut.first == place {
                leftOut.removeFirst()
            } else {
                repairedLines.append(append(line, of: bytes, to: &output))
            }
        }
        return HeaderFields(bytes: output, lines: repairedLines)
    }

    private static func append(
        _ line: HeaderFields.Line,
        of bytes: [UInt8],
        to output: inout [UInt8]
    ) -> HeaderFields.Line {
        let start = output.count
        output.append(contentsOf: bytes[line.nameRange])
        let nameEnd = output.count
        let colon = bytes[line.nameRange.upperBound..<line.valueRange.upperBound].drop {
            $0 != 0x3A
        }
        appendText(colon, to: &output)
        let valueStart = min(nameEnd + 1, output.count)
        let value = ASCII.trimmingOWS(output.span, valueStart..<output.count)
        output.append(contentsOf: [0x0D, 0x0A])
        return HeaderFields.Line(
            start: UInt32(truncatingIfNeeded: start),
            nameEnd: UInt32(truncatingIfNeeded: nameEnd),
            valueStart: UInt32(truncatingIfNeeded: value.lowerBound),
            valueEnd: UInt32(truncatingIfNeeded: value.upperBound),
            end: UInt32(truncatingIfNeeded: output.count),
            name: line.name
        )
    }

    /// Appends text with each control character, and each line break with the white space around
    /// it, replaced by a space; a line break at the end is left out.
    private static func appendText(_ text: ArraySlice<UInt8>, to output: inout [UInt8]) {
        var isFolded = false
        for byte in text {
            if byte == 0x0A {
                while let last = output.last, ASCII.isOWS(last) { output.removeLast() }
                isFolded = true
            } else if byte != 0x0D, !isFolded || !ASCII.isOWS(byte) {
                if isFolded { output.append(0x20) }
                isFolded = false
                output.append(ByteClass.isForbiddenInText(byte) ? 0x20 : byte)
            }
        }
    }
}
