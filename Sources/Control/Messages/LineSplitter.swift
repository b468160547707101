/// Splits a stream of bytes into lines of limited length.
struct LineSplitter {
    private var partial: [UInt8] = []
    private let byteCountMax: Int

    init(byteCountMax: Int = ControlLimits.lineByteCountMax) {
        self.byteCountMax = byteCountMax
    }

    /// Adds bytes and returns the lines that they complete, without LF.
    mutating func receive(_ bytes: Span<UInt8>) throws(ControlError) -> [[UInt8]] {
        var lines: [[UInt8]] = []
        var start = 0
        var index = 0
        while index < bytes.count {
            if bytes[index] == 0x0A {
                try append(bytes.extracting(start..<index))
                lines.append(partial)
                partial = []
                start = index &+ 1
            }
            index &+= 1
        }
        try append(bytes.extracting(start..<bytes.count))
        return lines
    }

    private mutating func append(_ bytes: Span<UInt8>) throws(ControlError) {
        guard partial.count + bytes.count <= byteCountMax else {
            throw ControlError(.badMessage, "a line is longer than \(byteCountMax) bytes")
        }
        bytes.withUnsafeBufferPointer { partial.append(contentsOf: $0) }
    }
}
