/// Splits a stream of bytes into lines of limited length.
package struct LineCutter {
    private let byteCountMax: Int
    private var line: [UInt8] = []
    private var isTooLong = false

    package init(byteCountMax: Int) { self.byteCountMax = byteCountMax }

    package mutating func receive(_ bytes: Span<UInt8>, into elements: inout [SplitElement]) {
        var start = 0
        for index in bytes.indices where bytes[index] == 0x0A {
            append(bytes.extracting(start..<index))
            end(into: &elements)
            start = index + 1
        }
        append(bytes.extracting(start..<bytes.count))
    }

    /// Emits the last line if it does not end in LF.
    package mutating func finish(into elements: inout [SplitElement]) {
        if !line.isEmpty || isTooLong { end(into: &elements) }
    }

    private mutating func append(_ bytes: Span<UInt8>) {
        guard !isTooLong else { return }
        guard line.count + bytes.count <= byteCountMax else {
            isTooLong = true
            line = []
            return
        }
        bytes.withUnsafeBufferPointer { line.append(contentsOf: $0) }
    }

    private mutating func end(into elements: inout [SplitElement]) {
        elements.append(isTooLong ? .tooLong : .bytes(line))
        line = []
        isTooLong = false
    }
}
