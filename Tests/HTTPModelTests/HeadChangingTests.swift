import ProxydHTTPModel
import Testing

/// Heads with other parts: what was not changed stays the same, byte for byte.
struct HeadChangingTests {
    private let fields = HeaderFields([("Host", "a.test"), ("X-Odd", " v ")])

    private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    private func fields(_ head: RequestHead, _ change: (inout HeaderFields) -> Void) -> HeaderFields
    {
        var fields = head.fields
        change(&fields)
        return fields
    }

    /// A head of HTTP/2 as `HTTPWire` makes it: pseudo-header fields are lines before the others.
    private func http2(_ pseudo: [(String, String)]) -> RequestHead {
        let all = HeaderFields((pseudo + [("x", "1")]).map { (name: $0.0, value: $0.1) })
        let path = all.lines.first { all.name(of: $0) == ":path" }?.valueRange ?? 0..<0
        return RequestHead(
            bytes: all.bytes, method: .get, targetRange: path, version: .http2,
            pseudoFields: Array(all.lines.prefix(pseudo.count)),
            fields: HeaderFields(bytes: all.bytes, lines: Array(all.lines.dropFirst(pseudo.count))))
    }

    private let usual = [
        (":method", "GET"), (":scheme", "https"), (":authority", "a.test"), (":path", "/p?q"),
    ]

    @Test func `a changed HTTP/1 request head keeps its target and version`() {
        let head = RequestHead(
            method: .get, target: Array("/a b".utf8), version: .http10, fields: fields)
        let changed = head.changed(
            method: "PURGE", fields: fields(head) { $0.append(name: "N", value: "1") })
        #expect(
            text(changed.bytes)
                == "PURGE /a b HTTP/1.0\r\nHost: a.test\r\nX-Odd:  v \r\nN: 1\r\n\r\n")
        #expect(head.changed(fields: head.fields) == head)
        #expect(changed.startLineText == "PURGE /a b HTTP/1.0")
    }

    @Test func `a changed HTTP/2 request head has its pseudo-header fields first`() {
        let head = http2(usual)
        let changed = head.changed(
            method: .post, authority: "b.test", fields: fields(head) { $0["x"] = "2" })
        #expect(changed.method == .post && changed.authority == "b.test")
        #expect(changed.targetText == "/p?q")
        #expect(
            changed.allFields.pairs.map { "\($0.name)=\($0.value)" } == [
                ":method=POST", ":scheme=https", ":authority=b.test", ":path=/p?q", "x=2",
            ])
        #expect(changed.version == .http2 && changed.startLineText == "POST /p?q HTTP/2")
    }

    @Test func `setting the authority of a request head that lacks :authority adds no such field`()
    {
        let head = http2([(":method", "GET"), (":scheme", "https"), (":path", "/")])
        let changed = head.changed(authority: "b.test", fields: head.fields)
        #expect(changed.authority == nil && changed.pseudoFields.count == 3)
    }

    @Test func `a changed response head keeps its reason phrase unless another is given`() {
        let head = ResponseHead(status: 200, reason: "Fine", fields: fields)
        #expect(head.changed(fields: head.fields) == head)
        #expect(
            head.changed(status: 500, fields: head.fields).statusLineText == "HTTP/1.1 500 Fine")
        #expect(
            head.changed(status: 404, reason: "Gone", fields: HeaderFields()).statusLineText
                == "HTTP/1.1 404 Gone")
        #expect(
            ResponseHead(status: 204, reason: "", fields: HeaderFields()).statusLineText
                == "HTTP/1.1 204")
    }

    @Test
    func `an extended CONNECT request has a protocol, but a classic CONNECT request has none`() {
        let connect = http2([(":method", "CONNECT"), (":protocol", "websocket"), (":path", "/")])
            .changed(method: .connect, fields: HeaderFields())
        #expect(connect.isExtendedConnect && !connect.isClassicConnect)
        #expect(connect.connectProtocol == "websocket")
        let classic = RequestHead(method: .connect, target: Array("a:1".utf8), fields: fields)
        #expect(classic.isClassicConnect && classic.connectProtocol == nil)
        let get = http2(usual + [(":protocol", "x")])
        #expect(!get.isExtendedConnect && get.connectProtocol == nil)
    }

    @Test func `stored HPACK codings are restored only if every header field has a valid one`() {
        let head = http2(usual)
        let codings = (0..<5).map {
            FieldCoding($0 == 4 ? .neverIndexed : .indexed, hasHuffmanValue: $0 == 1).rawValue
        }
        let coded = head.withCodings(codings)
        #expect(coded.codings == codings && coded.fields.lines[0].coding.isNeverIndexed)
        #expect(coded == coded.withCodings(Array(codings.dropLast())))
        #expect(coded == coded.withCodings([0xFF, 0, 0, 0, 0]))
        #expect(head.codings == [0, 0, 0, 0, 0])
        let response = ResponseHead(status: 200, reason: "", fields: fields)
        #expect(response.withCodings([3, 4]).codings == [3, 4])
        #expect(response.withCodings([3]).codings == [0, 0])
    }

    @Test func `a stored HPACK coding is valid only if it names an existing HPACK representation`()
    {
        for value in UInt8.min...UInt8.max {
            let coding = FieldCoding(rawValue: value)
            #expect((coding != nil) == (value < 0x20 && value & 7 <= 4), "\(value)")
            guard let coding else { continue }
            #expect(
                coding
                    == FieldCoding(
                        coding.representation, hasHuffmanName: coding.hasHuffmanName,
                        hasHuffmanValue: coding.hasHuffmanValue))
        }
    }

    @Test
    func `header fields are changed and removed by position, and invalid positions are ignored`() {
        var fields = HeaderFields([("A", "1"), ("B", "2"), ("a", "3")])
        #expect(fields.positions(named: "A") == [0, 2] && fields.positions(named: "c") == [])
        fields.setValue(Array("new".utf8), ofLineAt: 2)
        fields.setValue([0x78], ofLineAt: 9)
        #expect(fields.pairs.map { "\($0.name)=\($0.value)" } == ["A=1", "B=2", "a=new"])
        fields.removeLine(at: 0)
        fields.removeLine(at: -1)
        #expect(fields.pairs.map(\.name) == ["B", "a"])
        fields["B"] = nil
        #expect(fields.count == 1 && fields["A"] == "new")
    }
}
