/// Joins a start line and field lines into one head, with lines that refer to its bytes.
enum HeadComposer {
    static func compose(
        startLine: [UInt8], fields: HeaderFields
    ) -> (bytes: [UInt8], lines: [HeaderFields.Line]) {
        var bytes = startLine
        var lines: [HeaderFields.Line] = []
        lines.reserveCapacity(fields.count)
        for line in fields.lines {
            let shift = UInt32(truncatingIfNeeded: bytes.count) &- line.start
            bytes.append(contentsOf: fields.bytes[line.range])
            lines.append(line.moved(by: shift))
        }
        bytes.append(0x0D)
        bytes.append(0x0A)
        return (bytes, lines)
    }
}

extension HeaderFields.Line {
    /// Returns the same line in bytes where it starts `shift` later (modulo 2³², so also earlier).
    func moved(by shift: UInt32) -> Self {
        Self(
            start: start &+ shift, nameEnd: nameEnd &+ shift, valueStart: valueStart &+ shift,
            valueEnd: valueEnd &+ shift, end: end &+ shift, name: name, coding: coding)
    }
}
