import ProxydParameterCoding
import ProxydPropertyLists
import Testing

@Suite struct PropertyListHostileTests {
    private func problem(
        _ bytes: [UInt8], _ limits: PropertyListLimits = PropertyListLimits()
    ) -> PropertyListError.Kind? {
        do throws(PropertyListError) {
            _ = try PropertyListReader(limits: limits).read(bytes)
            return nil
        } catch {
            #expect(error.offset <= bytes.count)
            #expect(error.description.hasPrefix("offset \(error.offset): "))
            return error.kind
        }
    }

    private func xmlProblem(_ inside: String) -> PropertyListError.Kind? {
        problem(Array("<plist version='1.0'>\(inside)</plist>".utf8))
    }

    /// A binary list of objects with references of one byte.
    private func binary(_ objects: [[UInt8]], top: UInt64 = 0) -> [UInt8] {
        var bytes = Array("bplist00".utf8)
        var table: [UInt8] = []
        for object in objects {
            table += [UInt8(truncatingIfNeeded: bytes.count >> 8), UInt8(bytes.count & 0xFF)]
            bytes += object
        }
        let trailer = [UInt64(objects.count), top, UInt64(bytes.count)]
        bytes += table + [0, 0, 0, 0, 0, 0, 2, 1]
        for number in trailer { bytes += (0..<8).map { UInt8(number >> (56 - 8 * $0) & 0xFF) } }
        return bytes
    }

    @Test func `the binary property lists built by the test helper are valid`() throws {
        #expect(try PropertyListReader().read(binary([[0xA2, 1, 1], [0x09]])) == [true, true])
        #expect(try PropertyListReader().read(binary([[0xC1, 1], [0x08]])) == .set([false]))
        #expect(try PropertyListReader().read(binary([[0x72, 0xC3, 0xA9]])) == "é")
        #expect(try PropertyListReader().read(binary([[0x22, 0x3F, 0xC0, 0, 0]])) == 1.5)
        #expect(try PropertyListReader().read(binary([[0x00]])) == .null)
    }

    @Test(
        arguments: [
            ([[0xA1, 0]], PropertyListError.Kind.cycle), ([[0xA1, 1], [0xA1, 0]], .cycle),
            ([[0xD1, 0, 0]], .cycle), ([[0xD1, 1, 1], [0x09]], .badName),
            ([[0xA1, 9]], .truncated),
            ([[0xAF, 0x13, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]], .truncated),
            ([[0xDF, 0x13, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]], .truncated),
            ([[0x6F, 0x13, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]], .truncated),
            ([[0x5F, 0x5F]], .badValue), ([[0x5F, 0x14]], .badValue), ([[0x4F]], .badValue),
            ([[0x13, 0]], .truncated), ([[0x15, 0]], .badValue), ([[0x51, 0x80]], .invalidText),
            ([[0x61, 0xD8, 0x00]], .invalidText), ([[0x71, 0xFF]], .invalidText),
            ([[0x0F]], .unexpectedContent), ([[0x91, 0]], .unexpectedContent),
            ([[0xF1, 0]], .unexpectedContent), ([[0x21, 0, 0]], .badValue),
            ([[0x32, 0, 0, 0, 0]], .unexpectedContent),
            ([[0x89, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]], .badValue),
            ([[0x33, 0x7F, 0xF0, 0, 0, 0, 0, 0, 0]], .badValue),
        ] as [([[UInt8]], PropertyListError.Kind)])
    func `an invalid object in a binary property list causes a specific error`(
        objects: [[UInt8]], kind: PropertyListError.Kind
    ) {
        #expect(problem(binary(objects)) == kind)
    }

    @Test func `a small binary property list that expands exponentially is rejected as too large`()
    {
        // Each of fifty arrays holds the next one twice.
        let bomb = (0..<50).map { [0xA2, UInt8($0 + 1), UInt8($0 + 1)] } + [[0x09]]
        #expect(problem(binary(bomb)) == .tooLarge)
        // A text of 1,000 bytes, 255 times 255 times.
        let wide = [UInt8](repeating: 1, count: 255)
        let text = [0x5F, 0x11, 0x03, 0xE8] + [UInt8](repeating: 0x61, count: 1_000)
        let inner = [0xAF, 0x10, 0xFF] + [UInt8](repeating: 2, count: 255)
        #expect(
            problem(
                binary([[0xAF, 0x10, 0xFF] + wide, inner, text]),
                PropertyListLimits(byteCountMax: 1 << 20)) == .tooLarge)
    }

    /// A UID is read as a dictionary of one name and one number.
    @Test func `a UID in a property list counts towards the limits as the dictionary it becomes`() {
        let nine = binary([[0xA3, 1, 1, 1], [0xA3, 2, 2, 2], [0x80, 7]])
        #expect(problem(nine, PropertyListLimits(depthMax: 3, valueCountMax: 31)) == nil)
        #expect(problem(nine, PropertyListLimits(depthMax: 3, valueCountMax: 30)) == .tooLarge)
        #expect(problem(nine, PropertyListLimits(depthMax: 2, valueCountMax: 31)) == .tooDeep)
        let one = binary([[0x80, 7]])
        #expect(problem(one, PropertyListLimits(valueCountMax: 3)) == nil)
        #expect(problem(one, PropertyListLimits(valueCountMax: 2)) == .tooLarge)
        #expect(problem(one, PropertyListLimits(depthMax: 0)) == .tooDeep)
    }

    @Test func `objects that share bytes in a binary property list all count towards the limit`() {
        // 200 entries of the table point at one array of 255 references.
        var bytes =
            Array("bplist00".utf8) + [0xAF, 0x10, 0xFF] + [UInt8](repeating: 1, count: 255)
        let leaf = bytes.count
        bytes.append(0x09)
        let root = bytes.count
        bytes += [0xAF, 0x10, 200] + (2..<202).map { UInt8($0) }
        let table = bytes.count
        for offset in [root, leaf] + Array(repeating: 8, count: 200) {
            bytes += [UInt8(offset >> 8), UInt8(offset & 0xFF)]
        }
        bytes += [0, 0, 0, 0, 0, 0, 2, 1]
        for number in [202, 0, table] {
            bytes += (0..<8).map { UInt8(number >> (56 - 8 * $0) & 0xFF) }
        }
        #expect(problem(bytes) == nil)
        #expect(problem(bytes, PropertyListLimits(valueCountMax: 10_000)) == .tooLarge)
    }

    @Test
    func `a property list nested up to the depth limit is read, and a deeper one is rejected`() {
        func chain(_ depth: Int) -> [UInt8] {
            binary((1..<depth).map { [0xA1, UInt8($0)] } + [[0xA0]])
        }
        #expect(problem(chain(200), PropertyListLimits(depthMax: 200)) == nil)
        #expect(problem(chain(201), PropertyListLimits(depthMax: 200)) == .tooDeep)
        let arrays = String(repeating: "<array>", count: 513)
        #expect(xmlProblem(arrays) == .tooDeep)
        #expect(problem(Array(String(repeating: "<array>", count: 3_000_000).utf8)) == .tooDeep)
    }

    @Test func `a property list with any byte changed, or cut anywhere, does not crash the reader`()
        throws
    {
        let value: Parameter = [
            "a": [1, 2.5, true, "é"], "b": .data([1, 2, 3]), "c": .date(.init(secondsSince2001: 1)),
            "d": ["CF$UID": 1], "e": .uint(.max),
        ]
        for format in [PropertyListFormat.xml, .binary] {
            let bytes = try PropertyListWriter(format: format).write(value)
            for index in bytes.indices {
                for byte in [0, 0x0F, 0x3C, 0x7F, 0xA1, 0xFF, bytes[index] ^ 1] as [UInt8] {
                    var changed = bytes
                    changed[index] = byte
                    _ = problem(changed)
                }
                #expect(problem(Array(bytes[..<index])) != nil || format == .xml)
            }
        }
    }

    @Test(arguments: [
        ("<dict><key>a</key></dict>", PropertyListError.Kind.badName),
        ("<dict><string>a</string></dict>", .badName), ("<array><key>a</key></array>", .badName),
        ("<dict><key>a</key><key>b</key></dict>", .badName), ("<true>x</true>", .badValue),
        ("<integer>1.5</integer>", .badValue), ("<integer></integer>", .badValue),
        ("<integer>18446744073709551616</integer>", .badValue),
        ("<integer>-9223372036854775809</integer>", .badValue), ("<real>1,5</real>", .badValue),
        ("<real>0x1p3</real>", .badValue), ("<date>2001-02-30T00:00:00Z</date>", .badValue),
        ("<date>2001-01-01</date>", .badValue), ("<data>A</data>", .badValue),
        ("<data>AA=A</data>", .badValue), ("<data>!!!!</data>", .badValue),
        ("<string>&x;</string>", .entity), ("<string>&amp</string>", .entity),
        ("<string>&#0;</string>", .entity), ("<string>&#xD800;</string>", .entity),
        ("<string>&#+1;</string>", .entity), ("<string><b/></string>", .unexpectedContent),
        ("<set/>", .unexpectedContent), ("<array></dict>", .unexpectedContent),
        ("<true/><true/>", .trailingContent), ("text", .unexpectedContent),
        ("<plist/>", .unexpectedContent), ("<string>\u{1}</string>", .invalidText),
        ("<dict", .truncated),
    ])
    func `an invalid element in an XML property list causes a specific error`(
        inside: String, kind: PropertyListError.Kind
    ) {
        let text = inside == "<dict" ? "<plist><dict" : "<plist version='1.0'>\(inside)</plist>"
        #expect(problem(Array(text.utf8)) == kind)
    }

    @Test func `a declared entity in an XML property list is rejected, not expanded`() {
        let bomb = """
            <?xml version="1.0"?><!DOCTYPE plist [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>
            <plist><string>&b;</string></plist>
            """
        #expect(problem(Array(bomb.utf8)) == .entity)
    }

    @Test(arguments: [
        ("", PropertyListError.Kind.notAPropertyList), ("hello", .notAPropertyList),
        ("<?xml version='1.0'?>", .truncated), ("bplist00", .truncated),
        ("<?xml version='1.0' encoding='ISO-8859-1'?><plist><true/></plist>", .unsupportedEncoding),
        ("<plist><true/>", .truncated), ("<plist></plist>", .truncated),
        ("<plist/>", .unexpectedContent),
        ("<!--", .truncated), ("<", .unexpectedContent),
    ])
    func `reading input that is not a complete property list throws a specific error`(
        text: String, kind: PropertyListError.Kind
    ) {
        #expect(problem(Array(text.utf8)) == kind)
    }

    @Test func `unusual but valid XML is read as a property list`() throws {
        let text = """
            \u{FEFF}<?xml version='1.0' encoding="utf-8" standalone='yes'?>\r
            <!-- a > b --><!DOCTYPE plist SYSTEM "x">\r
            <plist a="/>" version="1.0"><dict ><key/><string><![CDATA[<&]]>&#x41;&#66;<!-- c -->\r
            d</string><key>i</key><integer> -0x10 </integer><key>r</key><real>+1e3</real></dict
            ></plist><!-- end -->
            """
        #expect(
            try PropertyListReader().read(Array(text.utf8)) == [
                "": "<&AB\nd", "i": -16, "r": 1000.0,
            ])
        #expect(try PropertyListReader().read(Array("<array><true/></array>".utf8)) == [true])
    }
}
