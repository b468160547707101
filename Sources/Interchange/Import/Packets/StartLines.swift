internal import ProxydHTTPModel

/// Where messages of HTTP/1 may start in bytes of which something before is missing.
enum StartLines {
    private static let version = Array("HTTP/1.".utf8)
    /// The preface of HTTP/2 (RFC 9113 §3.4), as far as it is a line.
    private static let preface = Array("PRI * HTTP/2.0".utf8)
    private static let methodByteCountMax = 24

    /// The place of the next line that is one of a request, or that may become one if it goes on in
    /// the next piece; nil if there is none.
    static func request(in bytes: [UInt8], from offset: Int) -> Int? {
        var start = offset
        while start < bytes.count {
            if isRequest(bytes[start...]) { return start }
            guard let end = bytes[start...].firstIndex(of: 0x0A) else { return nil }
            start = end + 1
        }
        return nil
    }

    /// The place of the next such line that starts behind this place.
    static func request(in bytes: [UInt8], after offset: Int) -> Int? {
        let end = bytes[min(offset, bytes.count)...].firstIndex(of: 0x0A)
        return end.flatMap { request(in: bytes, from: $0 + 1) }
    }

    /// The place of the next status line; nil if there is none. It need not start a line: a body
    /// may end before it.
    static func response(in bytes: [UInt8], from offset: Int) -> Int? {
        var start = offset
        while let found = bytes[min(start, bytes.count)...].firstIndex(of: version[0]) {
            if isResponse(bytes[found...]) { return found }
            start = found + 1
        }
        return nil
    }

    /// Whether HTTP/2 starts here.
    static func isPreface(_ bytes: [UInt8]) -> Bool { bytes.starts(with: preface) }

    /// Whether a request may start here: `METHOD SP target SP HTTP/1.x`, or the start of it.
    static func isRequest(_ bytes: ArraySlice<UInt8>) -> Bool {
        let line = bytes.prefix { $0 != 0x0A }
        let method = line.prefix { 0x41...0x5A ~= $0 || 0x61...0x7A ~= $0 || $0 == 0x2D }
        guard 1...methodByteCountMax ~= method.count,
            line.dropFirst(method.count).first == 0x20
        else { return false }
        let isCut = line.endIndex == bytes.endIndex
        if isCut { return method.allSatisfy { 0x41...0x5A ~= $0 } }
        let text = line.last == 0x0D ? line.dropLast() : line
        return text.dropLast().suffix(version.count).elementsEqual(version)
    }

    /// Whether a client may have meant these bytes as a request that is not valid: a line of words
    /// that ends in a version, or one of a method and a path alone (HTTP/0.9).
    static func isInvalidRequest(_ bytes: [UInt8]) -> Bool {
        let line = bytes.prefix { $0 != 0x0A && $0 != 0x0D }
        guard line.count < bytes.count, line.allSatisfy({ 0x20...0x7E ~= $0 }) else { return false }
        let words = line.split(separator: 0x20)
        guard let method = words.first, words.count >= 2 else { return false }
        if words.count == 2, words[1].first == UInt8(ascii: "/") {
            return method.allSatisfy { 0x41...0x5A ~= $0 }
        }
        return words.last?.starts(with: "HTTP/".utf8) == true
    }

    private static func isResponse(_ bytes: ArraySlice<UInt8>) -> Bool {
        let line = Array(bytes.prefix(13))
        return line.count == 13 && line.starts(with: version) && digit(line[7]) && line[8] == 0x20
            && line[9...11].allSatisfy(digit) && [0x20, 0x0D, 0x0A].contains(line[12])
    }

    private static func digit(_ byte: UInt8) -> Bool { 0x30...0x39 ~= byte }
}
