/// Removes `.` and `..` from a path (RFC 3986 §5.2.4).
enum DotSegments {
    /// The path without dot segments; `%2e` does not count as a dot.
    static func removed(from path: [UInt8]) -> [UInt8] {
        let isAbsolute = path.first == UInt8(ascii: "/")
        let segments = path.dropFirst(isAbsolute ? 1 : 0)
            .split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        var kept: [ArraySlice<UInt8>] = []
        for (index, segment) in segments.enumerated() {
            let isLast = index == segments.count - 1
            if segment.elementsEqual(".".utf8) {
                if isLast { kept.append([]) }
            } else if segment.elementsEqual("..".utf8) {
                _ = kept.popLast()
                if isLast { kept.append([]) }
            } else {
                kept.append(segment)
            }
        }
        let joined = Array(kept.joined(separator: "/".utf8))
        return isAbsolute ? [UInt8(ascii: "/")] + joined : joined
    }
}
