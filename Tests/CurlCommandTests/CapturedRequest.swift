import ProxydHTTPModel

/// Requests as a capture has them.
enum CapturedRequest {
    /// A request of a head whose lines end in line feeds, to a server on the loopback interface.
    static func make(
        _ head: String, scheme: String = "http", host: String = "127.0.0.1", port: UInt16,
        body: [UInt8] = []
    ) -> Request {
        make(
            bytes: Array((head.replacing("\n", with: "\r\n") + "\r\n\r\n").utf8), scheme: scheme,
            host: host, port: port, body: body)
    }

    static func make(
        bytes: [UInt8], scheme: String = "http", host: String = "127.0.0.1", port: UInt16,
        body: [UInt8]
    ) -> Request {
        var lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
        let parts = lines.removeFirst().split(separator: 0x20)
        let head = RequestHead(
            bytes: bytes, method: HTTPMethod(rawValue: ASCII.text(parts[0])),
            targetRange: parts[1].startIndex..<parts[1].endIndex,
            version: parts[2].starts(with: "HTTP/1.0".utf8) ? .http10 : .http11,
            fields: HeaderFields(bytes: bytes, lines: lines.compactMap(line)))
        let target = Array(head.target)
        let url = RawURL(scheme: scheme, host: host, port: port, origin: origin(of: target))
        return Request(url: url, head: head, body: Body(body))
    }

    private static func origin(of target: [UInt8]) -> [UInt8] {
        guard target.starts(with: "http://".utf8) else { return target }
        let behind = target.dropFirst(7)
        return behind.firstIndex(of: UInt8(ascii: "/")).map { Array(behind[$0...]) } ?? [0x2F]
    }

    private static func line(_ bytes: ArraySlice<UInt8>) -> HeaderFields.Line? {
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let all = Array(bytes)
        let value = ASCII.trimmingOWS(all.span, (colon - bytes.startIndex + 1)..<(all.count - 1))
        let name = Array(bytes[..<colon])
        func place(_ index: Int) -> UInt32 { UInt32(bytes.startIndex + index) }
        return HeaderFields.Line(
            start: place(0), nameEnd: place(name.count), valueStart: place(value.lowerBound),
            valueEnd: place(value.upperBound), end: place(all.count + 1),
            name: FieldName(name.span))
    }
}
