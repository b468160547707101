/// Joins a start line and field lines into one head, with the lines pointing into it.
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
    /// The same line in octets where it begins `shift` later (modulo 2³², so earlier too).
    func moved(by shift: UInt32) -> Self {
        Self(
            start: start &+ shift, nameEnd: nameEnd &+ shift, valueStart: valueStart &+ shift,
            valueEnd: valueEnd &+ shift, end: end &+ shift, name: name, coding: coding)
    }
}
