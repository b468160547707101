import ProxydHTTPModel
import ProxydTestSupport
import Testing

/// Any sequence of edits does to field lines what it does to a plain list of pairs.
struct HeaderFieldsEditingTests {
    /// Field lines as a list, edited in the obvious way.
    private struct Model {
        var pairs: [(name: String, value: String)] = []

        func positions(_ name: String) -> [Int] {
            pairs.indices.filter { pairs[$0].name.lowercased() == name.lowercased() }
        }

        mutating func removeAll(_ name: String) {
            pairs.removeAll { $0.name.lowercased() == name.lowercased() }
        }

        mutating func set(_ name: String, _ value: String) {
            guard let first = positions(name).first else {
                return pairs.append((name: name, value: value))
            }
            pairs[first] = (name: name, value: value)
            for place in positions(name).dropFirst().reversed() { pairs.remove(at: place) }
        }
    }

    private static let names = ["Host", "host", "X-A", "x-a", "Set-Cookie", "", "Ünï"]
    private static let values = [
        "", "1", " padded ", "a: b", "ü", String(repeating: "v", count: 300),
    ]

    private func expectSame(_ fields: HeaderFields, _ model: Model, _ step: String) {
        #expect(fields.count == model.pairs.count && fields.isEmpty == model.pairs.isEmpty)
        #expect(fields.pairs.map(\.value) == model.pairs.map(\.value), "\(step)")
        #expect(
            fields.pairs.map { $0.name.lowercased() } == model.pairs.map { $0.name.lowercased() },
            "\(step)")
        for name in Self.names {
            let places = model.positions(name)
            #expect(fields.positions(named: name) == places, "\(step): \(name)")
            #expect(fields.values(named: name) == places.map { model.pairs[$0].value })
            #expect(fields[name] == places.first.map { model.pairs[$0].value })
        }
        var text: [UInt8] = []
        fields.write(into: &text)
        let lines = model.pairs.enumerated().map { place, pair in
            // A name keeps the case in which it was written first.
            "\(fields.pairs[place].name): \(pair.value)\r\n"
        }
        #expect(String(decoding: text, as: UTF8.self) == lines.joined(), "\(step)")
    }

    @Test(arguments: 0..<6)
    func `random edits of header fields have the same result as edits of a plain list`(seed: Int) {
        var random = SplitMix(seed: UInt64(seed))
        for _ in 0..<60 {
            var (fields, model) = (HeaderFields(), Model())
            for _ in 0..<Int.random(in: 1...14, using: &random) {
                let (name, value) = (Self.names.pick(&random), Self.values.pick(&random))
                let step: String
                switch Int.random(in: 0..<7, using: &random) {
                case 0...2:
                    fields.append(name: name, value: value)
                    model.pairs.append((name: name, value: value))
                    step = "append \(name)"
                case 3:
                    fields.set(name: name, value: value)
                    model.set(name, value)
                    step = "set \(name)"
                case 4:
                    fields.removeAll(named: name)
                    model.removeAll(name)
                    step = "remove \(name)"
                case 5 where !model.pairs.isEmpty:
                    let place = model.pairs.indices.randomElement(using: &random) ?? 0
                    fields.setValue(Array(value.utf8), ofLineAt: place)
                    model.pairs[place].value = value
                    step = "value at \(place)"
                case 6 where !model.pairs.isEmpty:
                    let place = model.pairs.indices.randomElement(using: &random) ?? 0
                    fields.removeLine(at: place)
                    model.pairs.remove(at: place)
                    step = "line \(place)"
                default: continue
                }
                expectSame(fields, model, step)
            }
        }
    }

    @Test func `a copy of header fields does not change with its original`() {
        var fields = HeaderFields([("A", "1"), ("B", "2")])
        let copy = fields
        fields.set(name: "A", value: "3")
        fields.removeAll(named: "B")
        #expect(copy == HeaderFields([("A", "1"), ("B", "2")]))
        #expect(copy != fields && Set([copy, fields, copy]).count == 2)
    }

    @Test func `removing digest fields removes Content-MD5 and Content-Digest but keeps ETag`() {
        var fields = HeaderFields([
            ("Content-MD5", "a"), ("ETag", "\"1\""), ("digest", "b"), ("CONTENT-DIGEST", "c"),
            ("Repr-Digest", "d"), ("Want-Digest", "e"), ("Digest", "f"),
        ])
        fields.removeDigests()
        #expect(fields.pairs.map(\.name) == ["ETag", "Want-Digest"])
    }

    @Test func `a known header field is found whatever the letter case of its name`() {
        let fields = HeaderFields([
            ("X", "0"), ("content-LENGTH", "5"), ("Content-Length", "6"), ("Host", "a"),
        ])
        #expect(fields.value(.contentLength) == "5" && fields.value(.host) == "a")
        #expect(fields.first(.contentLength).map(fields.name(of:)) == "content-LENGTH")
        #expect(fields.value(.connection) == nil && fields.first(.other)?.name == .other)
    }

    @Test func `the description of a response head is its status line and one line per field`() {
        let fields = HeaderFields([("A", "1"), ("a", "2")])
        #expect("\(fields)" == "A: 1\na: 2" && "\(HeaderFields())" == "")
        let head = ResponseHead(version: .http10, status: 404, reason: "Not Found", fields: fields)
        #expect("\(head)" == "HTTP/1.0 404 Not Found\nA: 1\na: 2")
        let bare = ResponseHead(status: 200, reason: "", fields: HeaderFields())
        #expect("\(bare)" == "HTTP/1.1 200" && !bare.isInformational)
        #expect(ResponseHead(status: 199, reason: "", fields: fields).isInformational)
    }
}
