/// Joins a start line and field lines into one head, with lines that refer to its bytes.
enum HeadComposer {
    static func compose(
        startLine: [UInt8], fields: HeaderFields
    ) -> (octets: [UInt8], lines: [HeaderFields.Line]) {
        var octets = startLine
        var lines: [HeaderFields.Line] = []
        lines.reserveCapacity(fields.count)
        for line in fields.lines {
            let shift = UInt32(truncatingIfNeeded: octets.count) &- line.start
            octets.append(contentsOf: fields.octets[line.range])
            lines.append(line.moved(by: shift))
        }
        octets.append(0x0D)
        octets.append(0x0A)
        return (octets, lines)
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
