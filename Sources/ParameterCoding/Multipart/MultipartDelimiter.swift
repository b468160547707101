/// A boundary in a multipart body, with the line ends that belong to it.
struct MultipartDelimiter {
    /// The range, including the line ends before and after it.
    let range: Range<Int>
    /// Where its dashes are.
    let dashes: Int
    let isLast: Bool

    /// How lines end: as the first line that begins with the boundary.
    static func lineEnd(in body: [UInt8], _ boundary: [UInt8]) -> [UInt8] {
        let first = all(in: body, boundary, [0x0A]).first
        let end = first.map { body[..<$0.range.upperBound] } ?? []
        return end.last == 0x0A && !end.ends(with: [0x0D, 0x0A]) ? [0x0A] : [0x0D, 0x0A]
    }

    /// All boundaries up to the closing one. Lines that end in LF may end in CR LF as well.
    static func all(
        in body: [UInt8], _ boundary: [UInt8], _ lineEnd: [UInt8]
    ) -> [MultipartDelimiter] {
        let mark = Array("--".utf8) + boundary
        var found: [MultipartDelimiter] = []
        var place = 0
        while let dash = body[place...].firstIndex(of: UInt8(ascii: "-")) {
            place = dash + 1
            // The line before the first boundary may end in any way.
            let hasLineEnd = body[..<dash].ends(with: found.isEmpty ? [0x0A] : lineEnd)
            guard dash == 0 || hasLineEnd, body[dash...].starts(with: mark) else { continue }
            var end = dash + mark.count
            let isLast = body[end...].starts(with: "--".utf8)
            if isLast { end += 2 }
            while end < body.count, body[end] == 0x20 || body[end] == 0x09 { end += 1 }
            if body[end...].starts(with: [0x0D, 0x0A]) {
                end += 2
            } else if lineEnd.count == 1, body[end...].first == 0x0A {
                end += 1
            } else if !isLast || end < body.count {
                // The boundary is the start of a longer word.
                continue
            }
            // If two boundaries are adjacent, the line end between them belongs to the first.
            let isBehindAnother = found.last?.range.upperBound == dash
            let start = hasLineEnd && !isBehindAnother ? dash - lineEnd.count : dash
            found.append(MultipartDelimiter(range: start..<end, dashes: dash, isLast: isLast))
            if isLast { return found }
            place = end
        }
        return found
    }
}

extension ArraySlice<UInt8> {
    fileprivate func ends(with bytes: [UInt8]) -> Bool { suffix(bytes.count).elementsEqual(bytes) }
}
