internal import Capture
public import ProxydHTTPModel

extension Samples {
    /// A head of HTTP/2 as it is recorded: its lines as text, with what HPACK did to each.
    public static func http2Head(_ lines: [(String, FieldCoding)]) -> (
        bytes: [UInt8], lines: [HeaderFields.Line]
    ) {
        var bytes: [UInt8] = []
        var found: [HeaderFields.Line] = []
        for (text, coding) in lines {
            let start = UInt32(bytes.count)
            let name = text.dropFirst().prefix { $0 != ":" }.utf8.count + 1
            bytes += Array(text.utf8) + [13, 10]
            let nameEnd = start + UInt32(name)
            found.append(
                HeaderFields.Line(
                    start: start, nameEnd: nameEnd, valueStart: nameEnd + 2,
                    valueEnd: UInt32(bytes.count) - 2, end: UInt32(bytes.count),
                    name: FieldName(bytes.span.extracting(Int(start)..<Int(nameEnd))),
                    coding: coding))
        }
        return (bytes + [13, 10], found)
    }

    /// A GET on a stream that the server reset.
    public static func http2(_ id: ExchangeID) -> ExchangeUpdate {
        var update = Samples.complete(id)
        let (bytes, lines) = http2Head([
            (":method: GET", FieldCoding(.indexed)), (":scheme: https", FieldCoding(.indexed)),
            (":authority: h.test", FieldCoding(.added, hasHuffmanValue: true)),
            (":path: /a?b=c", FieldCoding(.notAdded)),
            ("authorization: s", FieldCoding(.neverIndexed)),
        ])
        update.url = RawURL(
            scheme: "https", host: "h.test", port: 443, origin: Array("/a?b=c".utf8))
        update.requestHead = RequestHead(
            bytes: bytes, method: .get, targetRange: lines[3].valueRange, version: .http2,
            pseudoFields: Array(lines[..<4]),
            fields: HeaderFields(bytes: bytes, lines: Array(lines[4...])))
        let response = http2Head([
            (":status: 200", FieldCoding(.indexed)), ("x-a: b", FieldCoding(.added)),
        ])
        update.responseHead = ResponseHead(
            bytes: response.bytes, version: .http2, status: 200, reasonRange: 0..<0,
            pseudoFields: Array(response.lines[..<1]),
            fields: HeaderFields(bytes: response.bytes, lines: Array(response.lines[1...])))
        var facts = HTTP2Facts()
        facts.clientStream = StreamID(rawValue: 5)
        facts.serverStream = StreamID(rawValue: 7)
        facts.serverVersion = .http2
        facts.reset = HTTP2Facts.Reset(side: .server, isOurs: false, code: .cancel)
        update.http2 = facts
        update.frames = [1, 0, 5, 33]
        return update
    }

    /// A frame of which the bytes were kept, and one of which they were not.
    public static var framesWithBytes: [UInt8] {
        var output: [UInt8] = []
        var time: Int64 = 0
        for bytes: [UInt8] in [[0, 0, 0, 0, 1, 0, 0, 0, 5], []] {
            FrameTimeline.append(
                FrameRecord(side: .client, isSent: false, type: 0, bytes: bytes),
                since: &time, to: &output)
        }
        return output
    }
}
