import ProxydParameterCoding
import ProxydTestSupport
import Testing

@Suite struct JSONWriterTests {
    private func text(_ parameter: Parameter, _ writer: JSONWriter = JSONWriter()) throws -> String
    {
        String(decoding: try writer.write(parameter), as: UTF8.self)
    }

    private func problem(
        _ parameter: Parameter, _ writer: JSONWriter = JSONWriter()
    ) -> JSONWritingError? {
        do throws(JSONWritingError) {
            _ = try writer.write(parameter)
            return nil
        } catch {
            return error
        }
    }

    @Test func `the JSON writer writes every kind of parameter value`() throws {
        let value: Parameter = [
            "n": nil, "t": true, "i": -3, "u": .uint(.max), "d": 1.5, "w": 1.0, "e": 1e21,
            "z": .double(-0.0), "k": .decimal("12.30"), "s": "é\"\\/", "o": [:], "a": [],
            "x": [1, [2]], "r": .raw(Array("{ }".utf8)), "y": .set([3, 1, 2]),
            "b": .data([0, 255, 16]),
        ]
        let expected =
            #"{"n":null,"t":true,"i":-3,"u":18446744073709551615,"d":1.5,"w":1.0,"e":1e+21,"#
            + #""z":-0.0,"k":12.30,"s":"é\"\\/","o":{},"a":[],"x":[1,[2]],"r":{ },"y":[3,1,2],"#
            + #""b":"AP8Q"}"#
        #expect(try text(value) == expected)
    }

    @Test func `the JSON writer can sort object members at every level, but never array elements`()
        throws
    {
        let value: Parameter = [
            "b": [["z": 1, "y": [3, 1, 2]]], "a": 1, "B": 2, "é": 3, "e\u{301}": 4, "a": 0,
            "s": .set([3, "1", 20]),
        ]
        #expect(
            try text(value, JSONWriter(keyOrder: .sorted))
                == #"{"B":2,"a":1,"a":0,"b":[{"y":[3,1,2],"z":1}],"e\#u{301}":4,"s":["1",20,3],"#
                + #""é":3}"#
        )
    }

    @Test func `with indentation the JSON writer puts each value on its own line`() throws {
        let pretty = JSONWriter(indentationByteCount: 2)
        #expect(
            try text(["a": [1, [:]], "b": []], pretty) == """
                {
                  "a": [
                    1,
                    {}
                  ],
                  "b": []
                }
                """
        )
        #expect(try text([1], JSONWriter(indentationByteCount: 0)) == "[\n1\n]")
        #expect(try text([1], JSONWriter(indentationByteCount: -1)) == "[\n1\n]")
    }

    @Test
    func `the JSON writer escapes control characters, and optionally slashes and line separators`()
        throws
    {
        let controls = String(String.UnicodeScalarView((0..<0x20).compactMap(Unicode.Scalar.init)))
        #expect(
            try text(.string(controls + "\u{7F}"))
                == #""\u0000\u0001\u0002\u0003\u0004\u0005\u0006\u0007\b\t\n\u000b\f\r\u000e\u000f"#
                + #"\u0010\u0011\u0012\u0013\u0014\u0015\u0016\u0017\u0018\u0019\u001a\u001b\u001c"#
                + "\\u001d\\u001e\\u001f\u{7F}\""
        )
        #expect(try text("\u{2028}\u{2029}\u{202A}/") == "\"\\u2028\\u2029\u{202A}/\"")
        let other = JSONWriter(escapesSlashes: true, escapesLineSeparators: false)
        #expect(try text("\u{2028}/", other) == "\"\u{2028}\\/\"")
    }

    @Test func `the JSON writer writes 1.0 as 1 only if the option for whole doubles is set`()
        throws
    {
        let writer = JSONWriter(writesWholeDoublesAsIntegers: true)
        #expect(try text([1.0, -0.0, 1.5, 1e21], writer) == "[1,-0,1.5,1e+21]")
    }

    @Test func `the JSON writer writes dates and data in the chosen styles`() throws {
        let date = Parameter.date(ParameterDate(secondsSince2001: 1.5))
        #expect(try text(date) == "1.5")
        #expect(try text(date, JSONWriter(dates: .secondsSince1970)) == "978307201.5")
        #expect(try text(date, JSONWriter(dates: .millisecondsSince1970)) == "978307201500.0")
        #expect(try text(date, JSONWriter(dates: .iso8601)) == "\"2001-01-01T00:00:01Z\"")
        #expect(try text(.data([1, 2]), JSONWriter(data: .deferredToData)) == "[1,2]")
        let late = ParameterDate(secondsSince2001: 1e15)
        #expect(problem(.date(late), JSONWriter(dates: .iso8601)) == .dateOutOfRange(late))
    }

    @Test(arguments: [Double.infinity, -.infinity, .nan])
    func `the JSON writer rejects infinity and NaN, also in dates`(number: Double) {
        #expect(problem([.double(number)]) == .notFinite)
        #expect(problem(.date(ParameterDate(secondsSince2001: number))) == .notFinite)
    }

    @Test(arguments: ["", "01", "1.", ".5", "+1", "1e", "0x1", "1 ", "--1", "1e+", "NaN", "1,2"])
    func `the JSON writer rejects a decimal whose digits are not a JSON number`(digits: String) {
        #expect(problem(.decimal(digits)) == .badNumber(digits))
        #expect(throws: JSONWritingError.self) { try JSONWriter().write(JSONValue.number(digits)) }
    }

    @Test func `the JSON writer throws an error for values nested deeper than the limit`()
        throws
    {
        func nested(_ depth: Int) -> Parameter {
            (1..<depth).reduce(.array([])) { inside, _ in .array([inside]) }
        }
        #expect(problem(nested(512)) == nil)
        #expect(problem(nested(513)) == .tooDeep)
        #expect(problem(nested(1_024), JSONWriter(depthMax: 1_024)) == nil)
        #expect(problem(nested(1_025), JSONWriter(depthMax: .max)) == .tooDeep)
        #expect(problem(nested(3), JSONWriter(depthMax: 2)) == .tooDeep)
    }

    @Test func `JSON that is read and written again keeps order, duplicate names and digits`()
        throws
    {
        let text = #"{"b":1.10,"a":[1e400,-0,true,null,{}],"b":"x\n","":[[],{"":""}]}"#
        #expect(try JSONWriter().write(JSONReader().read(Array(text.utf8))) == Array(text.utf8))
    }

    @Test func `random JSON values are read back equal to what was written`() throws {
        var random = SplitMix(seed: 21)
        for round in 0..<2_000 {
            let value = random.jsonValue(depth: 4)
            let writer = JSONWriter(
                indentationByteCount: round % 3 == 0 ? round % 4 : nil,
                escapesSlashes: round % 2 == 0, escapesLineSeparators: round % 5 == 0)
            #expect(try JSONReader().read(writer.write(value)) == value, "round \(round)")
        }
    }

    @Test func `writing 200 nested sets to sorted JSON does not take exponential time`() throws {
        // Written twice at each level, 200 of them would never end.
        let nested = (0..<200).reduce(Parameter.int(1)) { inner, _ in .set([inner]) }
        let sorted = try JSONWriter(keyOrder: .sorted).write(nested)
        #expect(sorted.count == 401)
    }

    @Test func `JSONEncoding sets Content-Type and does not change requests without parameters`()
        throws
    {
        let encoded = try JSONEncoding.sortedKeys.encode(["b": 1, "a": "x/y"], method: "POST")
        #expect(encoded.body == Array(#"{"a":"x/y","b":1}"#.utf8))
        #expect(encoded.contentType == "application/json")
        #expect(try JSONEncoding.default.encode(nil, method: "POST") == EncodedParameters())
        let query = try JSONEncoding.afNetworking.encode(["k": "v"], method: "GET")
        #expect(query.query == Array("k=v".utf8) && query.body == nil)
    }

    @Test func `Swift rejects a lone surrogate in a String, so the JSON writer never gets one`() {
        #expect(String(validating: [0xD800] as [UInt16], as: UTF16.self) == nil)
    }
}
