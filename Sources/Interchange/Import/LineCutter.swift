/// Splits a stream of bytes into lines of limited length.
package struct LineCutter {
    private let byteCountMax: Int
    private var line: [UInt8] = []
    private var isTooLong = false

    package init(byteCountMax: Int) { self.byteCountMax = byteCountMax }

    package mutating func receive(_ octets: Span<UInt8>, into elements: inout [SplitElement]) {
        var start = 0
        for index in octets.indices where octets[index] == 0x0A {
            append(octets.extracting(start..<index))
            end(into: &elements)
            start = index + 1
        }
        append(octets.extracting(start..<octets.count))
    }

    /// Emits the last line if it does not end in LF.
    package mutating func finish(into elements: inout [SplitElement]) {
        if !line.isEmpty || isTooLong { end(into: &elements) }
    }

    private mutating func append(_ octets: Span<UInt8>) {
        guard !isTooLong else { return }
        guard line.count + octets.count <= byteCountMax else {
            isTooLong = true
            line = []
            return
        }
        octets.withUnsafeBufferPointer { line.append(contentsOf: $0) }
    }

    private mutating func end(into elements: inout [SplitElement]) {
        elements.append(isTooLong ? .tooLong : .octets(line))
        line = []
        isTooLong = false
    }
}
