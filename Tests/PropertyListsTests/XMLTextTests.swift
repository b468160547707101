import ProxydParameterCoding
import ProxydPropertyLists
import Testing

/// The text of XML lists: line ends, sections, references, and numbers.
@Suite struct XMLTextTests {
    private func read(_ inside: String) throws -> Parameter {
        try PropertyListReader().read(Array("<plist version=\"1.0\">\(inside)</plist>".utf8))
    }

    private func problem(_ inside: String) -> PropertyListError.Kind? {
        do throws(PropertyListError) {
            let text = "<plist version=\"1.0\">\(inside)</plist>"
            _ = try PropertyListReader().read(Array(text.utf8))
            return nil
        } catch {
            return error.kind
        }
    }

    @Test(arguments: [
        ("a\r\nb\rc\nd\r\r\n", "a\nb\nc\nd\n\n"), ("<![CDATA[a\r\nb\rc]]>", "a\nb\nc"),
        ("<![CDATA[a\r]]>\n", "a\n\n"), ("&#13;&#10;", "\r\n"), ("<![CDATA[]]>", ""),
        ("<![CDATA[]]]]>&gt;", "]]>"), ("<![CDATA[<!-- &amp; </string>]]>", "<!-- &amp; </string>"),
        ("a<!-- <b> -->b", "ab"), ("a<![CDATA[b]]>c<![CDATA[d]]>", "abcd"), (" a ", " a "),
        ("&#x1F600;&#128512;", "😀😀"), ("&#000000000000065;", "A"), ("\t\n", "\t\n"),
        ("]]", "]]"), (">", ">"), ("\u{FFFD}\u{10FFFF}", "\u{FFFD}\u{10FFFF}"),
    ])
    func `text in an XML property list is read as XML 1.0 specifies`(written: String, text: String)
        throws
    {
        #expect(try read("<string>\(written)</string>") == .string(text))
        #expect(
            try read("<dict><key>\(written)</key><true/></dict>")
                == .object([.init(text, true)]))
    }

    @Test(arguments: [
        ("<![CDATA[\u{1}]]>", PropertyListError.Kind.invalidText), ("\u{B}", .invalidText),
        ("<![CDATA[a", .truncated), ("<!-- a", .truncated), ("&#x110000;", .entity),
        ("&#1;", .entity), ("&#xFFFE;", .entity), ("&#-5;", .entity), ("&#x;", .entity),
        ("&#;", .entity), ("&#X41;", .entity), ("&;", .entity), ("&AMP;", .entity),
        ("&#00000000000000000000000000000000000000065;", .entity), ("& ;", .entity),
        ("<![cdata[a]]>", .unexpectedContent), ("<", .unexpectedContent),
        ("</array>", .unexpectedContent), ("<string>", .unexpectedContent),
    ])
    func `text that is not valid XML 1.0 causes a specific error in an XML property list`(
        written: String, kind: PropertyListError.Kind
    ) {
        #expect(problem("<string>\(written)</string>") == kind)
    }

    @Test(arguments: [
        ("<integer>+5</integer>", Parameter.int(5)), ("<integer>-0</integer>", .int(0)),
        ("<integer>0x7FFFFFFFFFFFFFFF</integer>", .int(.max)),
        ("<integer>0XffffffffFFFFFFFF</integer>", .uint(.max)),
        ("<integer>-9223372036854775808</integer>", .int(.min)),
        ("<integer>\n\t7 \r\n</integer>", .int(7)), ("<integer>007</integer>", .int(7)),
        ("<real>-1.25e-2</real>", .double(-0.0125)), ("<real>7</real>", .double(7)),
        ("<real>+infinity</real>", .double(.infinity)), ("<real>-INF</real>", .double(-.infinity)),
        ("<data/>", .data([])), ("<data> </data>", .data([])), ("<string/>", ""),
        ("<data>\n\tAAEC\n\tAwQF\n\t</data>", .data([0, 1, 2, 3, 4, 5])),
        ("<data>AA\r\n==</data>", .data([0])), ("<true></true>", true),
        ("<date>2000-02-29T23:59:59Z</date>", .date(.init(secondsSince1970: 951_868_799))),
    ])
    func `numbers, data and dates in an XML property list may be written in several forms`(
        element: String, value: Parameter
    ) throws {
        #expect(try read(element) == value)
    }

    @Test func `a real number written as nan in an XML property list is read as NaN`() throws {
        guard case .double(let value) = try read("<real>nan</real>") else {
            Issue.record("no number")
            return
        }
        #expect(value.isNaN)
    }

    @Test(arguments: [
        "<integer/>", "<integer>-</integer>", "<integer>0x</integer>", "<integer>1 2</integer>",
        "<integer>0xG</integer>", "<integer>--1</integer>", "<integer>１</integer>",
        "<integer>0x10000000000000000</integer>", "<real/>", "<real>1e</real>", "<real>.</real>",
        "<real>infinit</real>", "<real>1_0</real>", "<date/>", "<date>2001-01-01T24:00:00Z</date>",
        "<date>2001-01-01T00:00:00</date>",
        "<date>2001-1-1T0:0:0Z</date>", "<data>AAA</data>", "<data>====</data>",
        "<data>A\u{A0}A==</data>", "<true>1</true>",
    ])
    func `a malformed number, date or data value in an XML property list is reported as such`(
        element: String
    ) {
        #expect(problem(element) == .badValue)
    }

    @Test(arguments: [
        "<array></array >", "<array\n></array\t>", "<array a='>' b=\"/>\"></array>", "<array />",
        "<array a='1'/>", "<?x y?><array/><!-- z -->",
    ])
    func `an XML property list may have spaces and attributes in its tags, and comments`(
        element: String
    ) throws {
        #expect(try read(element) == [])
    }

    @Test(arguments: [
        ("<array><", PropertyListError.Kind.unexpectedContent),
        ("<array><a<b/></array>", .unexpectedContent),
        ("<array", .unexpectedContent), ("<ARRAY/>", .unexpectedContent),
        ("<array>text</array>", .unexpectedContent),
        ("<plist><array/></plist>", .unexpectedContent),
        ("</dict>", .unexpectedContent), ("<array></array></array>", .unexpectedContent),
        ("<dict><key>a</key><true/><key>b</key></dict>", .badName), ("<key>a</key>", .badName),
        ("<!DOCTYPE plist><array/>", nil), ("<!DOCTYPE a [<!ENTITY b 'c'>]><array/>", .entity),
        ("<!ELEMENT a><array/>", .unexpectedContent), ("<array/>x", .unexpectedContent),
        ("<array/><!-- -->", nil), ("<array/><?x", .truncated),
    ])
    func `misplaced markup in an XML property list is an error, but a comment or DOCTYPE is not`(
        inside: String, kind: PropertyListError.Kind?
    ) {
        #expect(problem(inside) == kind)
    }

    @Test(arguments: ["utf-8", "UTF-8", "utf8", "US-ASCII"])
    func `an XML property list may declare UTF-8 or ASCII as its encoding`(name: String) throws {
        for quote in ["\"", "'"] {
            let text =
                "<?xml version='1.0' encoding=\(quote)\(name)\(quote)?><plist><true/></plist>"
            #expect(try PropertyListReader().read(Array(text.utf8)) == true)
        }
    }

    @Test func `a UTF-16 property list is reported as unsupported, invalid UTF-8 as invalid text`()
    {
        func kind(_ bytes: [UInt8]) -> PropertyListError.Kind? {
            do throws(PropertyListError) {
                _ = try PropertyListReader().read(bytes)
                return nil
            } catch {
                return error.kind
            }
        }
        let wide: [UInt8] = [0xFF, 0xFE] + "<plist/>".utf8.flatMap { [$0, 0] as [UInt8] }
        #expect(kind(wide) == .unsupportedEncoding)
        #expect(kind(Array("<plist><string>".utf8) + [0xFF]) == .invalidText)
        #expect(kind(Array("<plist><string>".utf8) + [0xC0, 0x80]) == .invalidText)
    }

    @Test
    func `property lists are accepted up to exactly the limits of value count, depth and size`() {
        func kind(_ text: String, _ limits: PropertyListLimits) -> PropertyListError.Kind? {
            do throws(PropertyListError) {
                _ = try PropertyListReader(limits: limits).read(Array(text.utf8))
                return nil
            } catch {
                return error.kind
            }
        }
        let list = "<plist><dict><key>a</key><array><true/><true/></array></dict></plist>"
        // The dictionary, its name, the array and two values.
        #expect(kind(list, PropertyListLimits(valueCountMax: 5)) == nil)
        #expect(kind(list, PropertyListLimits(valueCountMax: 4)) == .tooLarge)
        #expect(kind(list, PropertyListLimits(depthMax: 2)) == nil)
        #expect(kind(list, PropertyListLimits(depthMax: 1)) == .tooDeep)
        #expect(kind(list, PropertyListLimits(byteCountMax: list.utf8.count)) == nil)
        #expect(kind(list, PropertyListLimits(byteCountMax: list.utf8.count - 1)) == .tooLarge)
        #expect(PropertyListLimits(depthMax: .max).depthMax == 1_024)
    }
}

/// Lists as they are written.
@Suite struct PropertyListWritingTests {
    @Test func `an XML property list rejects invalid characters in keys and in strings`() {
        #expect(throws: PropertyListWritingError.textHasNoForm) {
            try PropertyListWriter().write(["\u{FFFF}": 1])
        }
        #expect(throws: PropertyListWritingError.textHasNoForm) {
            try PropertyListWriter().write(["a": ["\u{0}"]])
        }
    }

    @Test func `a binary property list can hold control characters and any other text`() throws {
        let long = String(repeating: "é", count: 300)
        for text in ["\u{0}", "\u{1F}", "\u{FFFE}", "\u{7F}", "日本", long] {
            let value = Parameter.array([.string(text)])
            let bytes = try PropertyListWriter(format: .binary).write(value)
            #expect(try PropertyListReader().read(bytes) == value)
        }
    }

    @Test(arguments: [
        Parameter.date(.init(secondsSince2001: .infinity)), .date(.init(secondsSince2001: .nan)),
        .double(-.infinity),
    ])
    func `infinite or NaN dates and numbers cannot be written to a property list`(
        value: Parameter
    ) {
        for format in [PropertyListFormat.xml, .binary] {
            #expect(throws: PropertyListWritingError.notFinite) {
                try PropertyListWriter(format: format).write(value)
            }
        }
    }

    @Test
    func `a date after the year 9999 is rejected in XML property lists, but not in binary ones`()
        throws
    {
        let far = Parameter.date(.init(secondsSince2001: 300_000_000_000))
        #expect(throws: PropertyListWritingError.self) { try PropertyListWriter().write(far) }
        let bytes = try PropertyListWriter(format: .binary).write(far)
        #expect(try PropertyListReader().read(bytes) == far)
    }

    @Test func `the property list writer writes 512 nested levels and rejects one more`() throws {
        let deep = (1..<512).reduce(Parameter.array([])) { inside, _ in .array([inside]) }
        for format in [PropertyListFormat.xml, .binary] {
            let bytes = try PropertyListWriter(format: format).write(deep)
            #expect(try PropertyListReader().read(bytes) == deep)
            #expect(throws: PropertyListWritingError.tooDeep) {
                try PropertyListWriter(format: format).write(["a": deep])
            }
        }
    }

    @Test func `a set is written as an array in an XML property list`() throws {
        let bytes = try PropertyListWriter().write(.set([1, 2]))
        #expect(try PropertyListReader().read(bytes) == [1, 2])
    }

    @Test(arguments: [PropertyListFormat.xml, .binary])
    func `the format of a property list is detected from its first bytes`(
        format: PropertyListFormat
    ) throws {
        let bytes = try PropertyListWriter(format: format).write(["a": 1])
        #expect(PropertyListReader.format(bytes) == format)
        #expect(PropertyListReader.format(Array(bytes.dropFirst(9))) == nil)
        #expect(PropertyListReader.format([]) == nil)
    }
}
