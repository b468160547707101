/// The LZW variant of GIF: codes grow to 12 bits, least significant bit first.
enum LZWDecoder {
    private static let entryCountMax = 4_096

    /// Passes the decoded colour indexes on, up to a maximum number.
    static func decode(
        _ data: [UInt8], codeSize: Int, countMax: Int, _ body: (UInt8) -> Void
    ) {
        guard (2...8).contains(codeSize) else { return }
        let clear = 1 << codeSize
        var prefixes = [Int](repeating: -1, count: entryCountMax)
        var suffixes = [UInt8](repeating: 0, count: entryCountMax)
        for index in 0..<clear { suffixes[index] = UInt8(truncatingIfNeeded: index) }
        var entryCount = clear + 2
        var width = codeSize + 1
        var bits = 0
        var bitCount = 0
        var last = -1
        var first: UInt8 = 0
        var written = 0
        var string: [UInt8] = []
        for octet in data {
            bits |= Int(octet) << bitCount
            bitCount += 8
            while bitCount >= width {
                let code = bits & (1 << width - 1)
                bits >>= width
                bitCount -= width
                if code == clear {
                    entryCount = clear + 2
                    width = codeSize + 1
                    last = -1
                    continue
                }
                // The end code, or a code that no encoder writes.
                if code == clear + 1 || code > entryCount || (last < 0 && code > clear) { return }
                string.removeAll(keepingCapacity: true)
                var next = code
                if code == entryCount {
                    string.append(first)
                    next = last
                }
                while next >= clear {
                    string.append(suffixes[next])
                    next = prefixes[next]
                }
                guard next >= 0 else { return }
                first = suffixes[next]
                string.append(first)
                for index in string.reversed() {
                    guard written < countMax else { return }
                    written += 1
                    body(index)
                }
                if last >= 0, entryCount < entryCountMax {
                    prefixes[entryCount] = last
                    suffixes[entryCount] = first
                    entryCount += 1
                    if entryCount == 1 << width, width < 12 { width += 1 }
                }
                last = code
            }
        }
    }
}
