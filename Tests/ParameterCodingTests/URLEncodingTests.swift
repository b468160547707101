import ProxydParameterCoding
import Synchronization
import Testing

@Suite struct URLEncodingTests {
    private func text(
        _ parameters: Parameter,
        _ change: (inout URLEncoding) -> Void = { _ in }
    ) throws -> String {
        try URLEncoding.default.changed(change).text(parameters)
    }

    @Test func `URLEncoding writes nested objects with brackets, dots or custom key paths`() throws
    {
        let parameters: Parameter = ["a": ["b": ["c": "v"]]]
        #expect(try text(parameters) == "a%5Bb%5D%5Bc%5D=v")
        #expect(try text(parameters) { $0.keyPaths = .dots } == "a.b.c=v")
        #expect(try text(parameters) { $0.keyPaths = .custom { "_" + $0 } } == "a_b_c=v")
    }

    @Test func `URLEncoding keeps the order of array elements in every array format`() throws {
        let parameters: Parameter = ["a": [3, 1, 2]]
        #expect(try text(parameters) == "a%5B%5D=3&a%5B%5D=1&a%5B%5D=2")
        #expect(try text(parameters) { $0.arrays = .noBrackets } == "a=3&a=1&a=2")
        #expect(
            try text(parameters) { $0.arrays = .indexInBrackets }
                == "a%5B0%5D=3&a%5B1%5D=1&a%5B2%5D=2"
        )
        let custom = try text(parameters) { $0.arrays = .custom { "\($0).\($1 + 1)" } }
        #expect(custom == "a.1=3&a.2=1&a.3=2")
    }

    @Test func `URLEncoding orders array indices as numbers, not as text`() throws {
        let elements = (0..<12).map { Parameter.int($0) }
        let given = try text(["a": .array(elements)]) { $0.arrays = .indexInBrackets }
        let expected = (0..<12).map { "a%5B\($0)%5D=\($0)" }.joined(separator: "&")
        #expect(given == expected)
    }

    @Test
    func `a custom array encoding receives the key path so far and does not affect later keys`()
        throws
    {
        let parameters: Parameter = ["a": ["b": ["x", ["y"]], "c": 1]]
        let given = try text(parameters) { $0.arrays = .custom { "\($0):\($1)" } }
        #expect(given == "a%5Bb%5D%3A0=x&a%5Bb%5D%3A1%3A0=y&a%5Bc%5D=1")
    }

    @Test func `URLEncoding can write an array as one JSON text, whatever it contains`() throws {
        let parameters: Parameter = [
            "a": [["z": 1, "b": true], [nil, "é/\""], .date(ParameterDate(secondsSince2001: 0))],
            "d": .data([1, 2, 3]),
        ]
        let given = try URLEncoding.default.changed {
            $0.arrays = .json
            $0.dates = .iso8601
            $0.escapes = EscapeSet.rfc3986.keeping("[]{}\",:é\\")
        }.text(parameters)
        #expect(
            given == #"a=[{"b":true,"z":1},[null,"%C3%A9/\""],"2001-01-01T00:00:00Z"]&d=AQID"#
        )
    }

    @Test
    func `arrays written as JSON follow the URLEncoding's rules for keys, data, dates and order`()
        throws
    {
        let parameters: Parameter = [
            "a": [["bC": .data([255]), "aC": .date(ParameterDate(secondsSince2001: 1.5))]]
        ]
        let given = try URLEncoding.default.changed {
            $0.arrays = .json
            $0.keyOrder = .asGiven
            $0.keys = .snakeCase
            $0.data = .deferredToData
            $0.escapes = EscapeSet.rfc3986.keeping("[]{}\",:")
        }.text(parameters)
        #expect(given == #"a=[{"b_c":[255],"a_c":1.5}]"#)
    }

    @Test
    func `URLEncoding writes booleans as 1 and 0 or true and false, without changing numbers`()
        throws
    {
        let parameters: Parameter = ["a": true, "b": false, "c": 1, "d": 0, "e": "true"]
        #expect(try text(parameters) == "a=1&b=0&c=1&d=0&e=true")
        #expect(try text(parameters) { $0.bools = .literal } == "a=true&b=false&c=1&d=0&e=true")
    }

    @Test
    func `URLEncoding drops null or writes it as an empty value, bare key, null or custom text`()
        throws
    {
        let parameters: Parameter = ["a": nil, "b": 1, "c": [1, nil]]
        #expect(try text(parameters) == "b=1&c%5B%5D=1")
        #expect(try text(parameters) { $0.nulls = .dropValue } == "a=&b=1&c%5B%5D=1&c%5B%5D=")
        #expect(try text(parameters) { $0.nulls = .keyOnly } == "a&b=1&c%5B%5D=1&c%5B%5D")
        #expect(
            try text(parameters) { $0.nulls = .null } == "a=null&b=1&c%5B%5D=1&c%5B%5D=null"
        )
        let custom = try text(["a": nil]) { $0.nulls = .custom { "n/a &" } }
        #expect(custom == "a=n/a%20%26")
        #expect(try text(["a": nil, "b": 1]) { $0.nulls = .custom { nil } } == "b=1")
    }

    @Test func `URLEncoding leaves no gaps in array indices where it drops elements`() throws {
        let parameters: Parameter = ["a": [nil, 1, nil, [], 3]]
        #expect(
            try text(parameters) { $0.arrays = .indexInBrackets } == "a%5B0%5D=1&a%5B1%5D=3")
        #expect(try text(parameters) { $0.arrays = .custom { "\($0)\($1)" } } == "a0=1&a1=3")
        let kept = try text(parameters) {
            $0.arrays = .indexInBrackets
            $0.nulls = .dropValue
            $0.emptyContainers = .keepKey
        }
        #expect(kept == "a%5B0%5D=&a%5B1%5D=1&a%5B2%5D=&a%5B3%5D=&a%5B4%5D=3")
    }

    @Test func `URLEncoding can write a null value with an empty key as an empty pair`() throws {
        let given = try text(["": nil, "b": 1]) { $0.nulls = .keyOnly }
        #expect(given == "&b=1")
    }

    @Test func `URLEncoding writes data as Base64, as an array of numbers or in a custom format`()
        throws
    {
        let parameters: Parameter = ["d": .data([0xFB, 0xFF])]
        #expect(try text(parameters) == "d=%2B/8%3D")
        #expect(
            try text(parameters) { $0.data = .deferredToData } == "d%5B%5D=251&d%5B%5D=255"
        )
        #expect(try text(parameters) { $0.data = .custom { "\($0.count)" } } == "d=2")
    }

    @Test(arguments: [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="),
        ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"),
    ])
    func `URLEncoding writes Base64 with the padding of RFC 4648`(bytes: String, expected: String)
        throws
    {
        let encoding = URLEncoding.default.changed { $0.escapes = EscapeSet.strict.keeping("=") }
        #expect(try encoding.text(["d": .data(Array(bytes.utf8))]) == "d=" + expected)
    }

    @Test func `URLEncoding drops empty containers, or writes their key with an empty value`()
        throws
    {
        let parameters: Parameter = ["a": [], "b": [:], "c": .set([]), "d": ["e": []], "f": 1]
        #expect(try text(parameters) == "f=1")
        #expect(
            try text(parameters) { $0.emptyContainers = .keepKey } == "a=&b=&c=&d%5Be%5D=&f=1"
        )
        #expect(try text([:]) == "")
    }

    @Test
    func `URLEncoding repeats the key of a set for each element, sorted by the elements' text`()
        throws
    {
        let parameters: Parameter = ["s": .set(["y", "x", 10, 9, "%", nil])]
        #expect(try text(parameters) == "s=%25&s=10&s=9&s=x&s=y")
        #expect(try text(parameters) { $0.keyOrder = .asGiven } == "s=y&s=x&s=10&s=9&s=%25")
        #expect(
            try text(["s": .set([["q", "p"], "a"])]) == "s=a&s%5B%5D=q&s%5B%5D=p"
        )
        let json = try text(["s": .set(["b", "a"])]) { $0.arrays = .json }
        #expect(json == "s=%5B%22a%22%2C%22b%22%5D")
    }

    @Test func `a custom date encoding is called once for each date in a set`() throws {
        let calls = Mutex(0)
        let date = Parameter.date(ParameterDate(secondsSince2001: 0))
        let given = try text(["s": .set([date, "b", date])]) {
            $0.dates = .custom { _ in "\(calls.withLock { $0 += 1; return $0 })" }
        }
        #expect(given == "s=1&s=2&s=b")
        #expect(calls.withLock { $0 } == 2)
    }

    @Test func `URLEncoding writes raw bytes unchanged`() throws {
        let parameters: Parameter = ["k": .raw(Array("%B4%F3+&x=ß".utf8)), "l": 1]
        #expect(try text(parameters) == "k=%B4%F3+&x=ß&l=1")
        #expect(try text(.raw(Array("a&&b=%zz".utf8))) == "a&&b=%zz")
    }
}

extension URLEncoding {
    /// The pairs as text.
    func text(_ parameters: Parameter) throws -> String {
        String(decoding: try bytes(parameters), as: UTF8.self)
    }

    /// These rules with some of them changed.
    func changed(_ change: (inout URLEncoding) -> Void) -> URLEncoding {
        var changed = self
        change(&changed)
        return changed
    }
}
