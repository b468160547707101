/// Splits a stream of bytes into lines of limited length.
struct LineSplitter {
    private var partial: [UInt8] = []
    private let byteCountMax: Int

    init(byteCountMax: Int = ControlLimits.lineByteCountMax) {
        self.byteCountMax = byteCountMax
    }

    /// Adds bytes and returns the lines that they complete, without LF.
    mutating func receive(_ octets: Span<UInt8>) throws(ControlError) -> [[UInt8]] {
        var lines: [[UInt8]] = []
        var start = 0
        var index = 0
        while index < octets.count {
            if octets[index] == 0x0A {
                try append(octets.extracting(start..<index))
                lines.append(partial)
                partial = []
                start = index &+ 1
            }
            index &+= 1
        }
        try append(octets.extracting(start..<octets.count))
        return lines
    }

    private mutating func append(_ octets: Span<UInt8>) throws(ControlError) {
        guard partial.count + octets.count <= byteCountMax else {
            throw ControlError(.badMessage, "a line is longer than \(byteCountMax) bytes")
        }
        octets.withUnsafeBufferPointer { partial.append(contentsOf: $0) }
    }
}
