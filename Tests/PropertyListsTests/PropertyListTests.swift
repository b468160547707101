import Foundation
import ProxydParameterCoding
import ProxydPropertyLists
import ProxydTestSupport
import Testing

@Suite struct PropertyListTests {
    /// What the fixtures hold; they were written by Python's plistlib.
    private static let members: [Parameter.Member] = [
        .init("s", "héllo"),
        .init(
            "a",
            [
                1, -2, 255, 256, 65_536, 4_294_967_296, .int(.max), .uint(.max), 1.5, true, false,
            ]),
        .init("d", .date(ParameterDate(secondsSince1970: 1_078_016_523))),
        .init("b", .data([0, 255])), .init("n", [:]), .init("e", []),
        .init("long", "xxxxxxxxxxxxxxxxxxxx"),
    ]

    private static let uid = Parameter.Member("u", ["CF$UID": 7])

    private static let binary =
        "YnBsaXN0MDDYAQIDBAUGBwgJChYXGBkaG1FzUWFRZFFiUW5RZVRsb25nUXVlAGgA6QBsAGwAb6sLDA0O"
        + "DxAREhMUFRABE//////////+EP8RAQASAAEAABMAAAABAAAAABN//////////xQAAAAAAAAAAP//////"
        + "////Iz/4AAAAAAAACQgzQZfFxiwAAABCAP/QoF8QFHh4eHh4eHh4eHh4eHh4eHh4eHh4gAcIGRsdHyEj"
        + "JSosN0NFTlBTWGFqe4SFho+Sk5SrAAAAAAAAAQEAAAAAAAAAHAAAAAAAAAAAAAAAAAAAAK0="

    private static let xml = """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" \
        "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        <plist version="1.0">
        <dict>
        \t<key>s</key>
        \t<string>héllo</string>
        \t<key>a</key>
        \t<array>
        \t\t<integer>1</integer>
        \t\t<integer>-2</integer>
        \t\t<integer>255</integer>
        \t\t<integer>256</integer>
        \t\t<integer>65536</integer>
        \t\t<integer>4294967296</integer>
        \t\t<integer>9223372036854775807</integer>
        \t\t<integer>18446744073709551615</integer>
        \t\t<real>1.5</real>
        \t\t<true/>
        \t\t<false/>
        \t</array>
        \t<key>d</key>
        \t<date>2004-02-29T01:02:03Z</date>
        \t<key>b</key>
        \t<data>
        \tAP8=
        \t</data>
        \t<key>n</key>
        \t<dict/>
        \t<key>e</key>
        \t<array/>
        \t<key>long</key>
        \t<string>xxxxxxxxxxxxxxxxxxxx</string>
        </dict>
        </plist>

        """

    private func read(_ bytes: [UInt8]) throws -> Parameter {
        try PropertyListReader().read(bytes)
    }

    @Test func `property lists written by Python's plistlib are read`() throws {
        let bytes = Array(try #require(Data(base64Encoded: PropertyListTests.binary)))
        #expect(try read(bytes) == .object(PropertyListTests.members + [PropertyListTests.uid]))
        #expect(
            try read(Array(PropertyListTests.xml.utf8)) == .object(PropertyListTests.members))
    }

    @Test
    func `XML property lists match those of Python's plistlib except for line breaks in data`()
        throws
    {
        let value = Parameter.object(PropertyListTests.members)
        let written = try PropertyListWriter(format: .xml).write(value)
        let expected = PropertyListTests.xml.replacing(
            "<data>\n\tAP8=\n\t</data>", with: "<data>AP8=</data>")
        #expect(String(decoding: written, as: UTF8.self) == expected)
    }

    @Test(arguments: [PropertyListFormat.xml, .binary])
    func `written property lists are read back unchanged`(format: PropertyListFormat) throws {
        var random = SplitMix(seed: 23)
        for round in 0..<1_000 {
            let value = random.propertyList(depth: 4)
            let bytes = try PropertyListWriter(format: format).write(value)
            #expect(try read(bytes) == value, "round \(round)")
            #expect(PropertyListReader.format(bytes) == format)
        }
    }

    @Test func `a binary property list with more than 65535 objects is read back unchanged`() throws
    {
        let value = Parameter.array((0..<70_000).map { .string("text \($0)") })
        #expect(try read(PropertyListWriter(format: .binary).write(value)) == value)
    }

    @Test
    func `a binary property list stores equal strings once, canonically equivalent ones twice`()
        throws
    {
        let writer = PropertyListWriter(format: .binary)
        let one = try writer.write([.string(String(repeating: "x", count: 100))])
        let two = try writer.write(
            .array(Array(repeating: .string(String(repeating: "x", count: 100)), count: 2)))
        #expect(two.count == one.count + 1)
        let twins = try read(writer.write(["é", "e\u{301}"]))
        guard case .array(let elements) = twins, case .string(let last)? = elements.last else {
            Issue.record("no array")
            return
        }
        #expect(last.unicodeScalars.count == 2)
    }

    @Test func `a UID is stored as a UID in a binary property list and as a dictionary in XML`()
        throws
    {
        let value: Parameter = ["CF$UID": 300]
        let binary = try PropertyListWriter(format: .binary).write(value)
        #expect(binary[8...10].elementsEqual([0x81, 0x01, 0x2C]))
        #expect(try read(binary) == value)
        #expect(try read(PropertyListWriter(format: .xml).write(value)) == value)
    }

    @Test(arguments: [PropertyListFormat.xml, .binary])
    func `writing a value that property lists cannot represent throws a specific error`(
        format: PropertyListFormat
    ) {
        let writer = PropertyListWriter(format: format)
        #expect(throws: PropertyListWritingError.nullHasNoForm) { try writer.write([nil]) }
        #expect(throws: PropertyListWritingError.rawHasNoForm) { try writer.write(.raw([])) }
        #expect(throws: PropertyListWritingError.notFinite) { try writer.write(.double(.nan)) }
        #expect(throws: PropertyListWritingError.badNumber("x")) { try writer.write(.decimal("x")) }
        let deep = (0..<1_025).reduce(Parameter.array([])) { inside, _ in .array([inside]) }
        #expect(throws: PropertyListWritingError.tooDeep) { try writer.write(deep) }
    }

    @Test(arguments: [
        ("9223372036854775807", Parameter.int(.max)), ("-9223372036854775808", .int(.min)),
        ("18446744073709551615", .uint(.max)), ("18446744073709551616", .double(0x1p64)),
        ("-9223372036854775809", .double(-0x1p63)), ("-0", .int(0)), ("1e5", .double(100_000)),
        ("12.30", .double(12.3)),
    ])
    func `decimals in a property list are read back as the same number, whatever their size`(
        digits: String, expected: Parameter
    ) throws {
        for format in [PropertyListFormat.xml, .binary] {
            let list = try PropertyListWriter(format: format).write(.decimal(digits))
            #expect(try PropertyListReader().read(list) == expected, "\(format)")
        }
    }

    @Test func `a decimal larger than any Double cannot be written to a property list`() {
        for format in [PropertyListFormat.xml, .binary] {
            #expect(throws: PropertyListWritingError.badNumber("1e400")) {
                try PropertyListWriter(format: format).write(.decimal("1e400"))
            }
        }
    }

    @Test func `decimals keep their digits in XML property lists and their value in binary ones`()
        throws
    {
        let value = Parameter.array([.decimal("12.30"), .decimal("-7")])
        let text = String(decoding: try PropertyListWriter().write(value), as: UTF8.self)
        #expect(text.contains("<real>12.30</real>") && text.contains("<integer>-7</integer>"))
        #expect(try read(PropertyListWriter(format: .binary).write(value)) == [12.3, -7])
    }

    @Test
    func `XML property lists escape special characters; characters invalid in XML are rejected`()
        throws
    {
        let value: Parameter = "<&>\"'\r\n\t]]>\u{7F}\u{85}😀"
        #expect(try read(PropertyListWriter().write(value)) == value)
        #expect(throws: PropertyListWritingError.textHasNoForm) {
            try PropertyListWriter().write("\u{1}")
        }
    }

    @Test func `PropertyListEncoding sets the content type application/x-plist`() throws {
        let encoded = try PropertyListEncoding.xml.encode(["k": "v"], method: "POST")
        #expect(encoded.contentType == "application/x-plist")
        #expect(try read(encoded.body ?? []) == ["k": "v"])
        #expect(try PropertyListEncoding.binary.encode(nil, method: "POST") == EncodedParameters())
    }

    @Test(arguments: [
        (0.0, "2001-01-01T00:00:00Z"), (-0.5, "2000-12-31T23:59:59Z"),
        (5_097_600, "2001-03-01T00:00:00Z"), (-26_524_800, "2000-02-29T00:00:00Z"),
        (-63_113_904_000, "0001-01-01T00:00:00Z"), (252_423_993_599, "9999-12-31T23:59:59Z"),
    ])
    func `dates are written as UTC calendar dates in XML property lists`(
        seconds: Double, text: String
    ) throws {
        let date = Parameter.date(ParameterDate(secondsSince2001: seconds))
        let list = String(decoding: try PropertyListWriter().write(date), as: UTF8.self)
        #expect(list.contains("<date>\(text)</date>"))
        let whole = Parameter.date(ParameterDate(secondsSince2001: seconds.rounded(.down)))
        #expect(try read(Array(list.utf8)) == whole)
    }
}

extension SplitMix {
    private static let texts = ["", "a", "b", "a.b", "é", "e\u{301}", "\u{2028}", "\"\\/", "😀"]

    private mutating func text() -> String { SplitMix.texts.pick(&self) }

    private mutating func bytes() -> [UInt8] {
        (0..<Int.random(in: 0...20, using: &self)).map { _ in [0, 1, 2, 0x80, 0xFF].pick(&self) }
    }

    /// A value that property lists have a form for, nested at most `depth` levels.
    mutating func propertyList(depth: Int) -> Parameter {
        switch Int.random(in: 0..<(depth > 0 ? 9 : 7), using: &self) {
        case 0: .bool(Bool.random(using: &self))
        case 1: .int(Int64(bitPattern: next()) >> Int64.random(in: 0..<64, using: &self))
        case 2: .uint(.max - UInt64.random(in: 0..<1_000, using: &self))
        case 3: .double(Double.random(in: -1e9...1e9, using: &self))
        case 4: .date(ParameterDate(secondsSince2001: Double(Int32(truncatingIfNeeded: next()))))
        case 5: .data(bytes())
        case 6: .string(text())
        case 7:
            .array(
                (0..<Int.random(in: 0..<20, using: &self)).map { _ in
                    propertyList(depth: depth - 1)
                })
        default:
            .object(
                (0..<Int.random(in: 0..<20, using: &self)).map { _ in
                    Parameter.Member(text(), propertyList(depth: depth - 1))
                })
        }
    }
}
