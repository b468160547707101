import ProxydParameterCoding
import Testing

/// RFC 8259, production by production, each with what it takes and where it refuses.
@Suite struct JSONGrammarTests {
    private func problem(_ bytes: [UInt8], _ limits: JSONLimits = JSONLimits()) -> JSONSyntaxError?
    {
        do throws(JSONSyntaxError) {
            _ = try JSONReader(limits: limits).read(bytes)
            return nil
        } catch {
            return error
        }
    }

    private func expect(
        _ text: String, _ kind: JSONSyntaxError.Kind?, at offset: Int? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let error = problem(Array(text.utf8))
        #expect(error?.kind == kind, "\(text)", sourceLocation: sourceLocation)
        #expect(error?.offset == offset, "\(text)", sourceLocation: sourceLocation)
    }

    @Test func `RFC 8259 section 2: a JSON text is one value between white space`() {
        for space in ["", " ", "\t", "\n", "\r", " \t\r\n"] { expect("\(space)0\(space)", nil) }
        for other in ["\u{0}", "\u{B}", "\u{C}", "\u{85}", "\u{A0}", "\u{2028}", "\u{3000}"] {
            expect(other + "0", .unexpectedByte, at: 0)
            expect("0 " + other, .trailingContent, at: 2)
        }
        expect("", .unexpectedEnd, at: 0)
        expect(" \n", .unexpectedEnd, at: 2)
        expect("0 0", .trailingContent, at: 2)
        expect("[] ]", .trailingContent, at: 3)
    }

    @Test func `RFC 8259 section 2: white space is allowed around structural characters`() {
        expect(" [ 1 , { \"a\" : 2 , \"b\" : [ ] } ] ", nil)
        expect("[1,,2]", .unexpectedByte, at: 3)
        expect("{\"a\"::1}", .unexpectedByte, at: 5)
        expect("[1:2]", .unexpectedByte, at: 2)
    }

    @Test func `RFC 8259 section 3: true, false and null are the only unquoted words`() {
        for word in ["true", "false", "null"] {
            expect(word, nil)
            for count in 1..<word.count {
                expect(String(word.prefix(count)), .unexpectedEnd, at: count)
                expect(String(word.prefix(count)) + "_", .unexpectedByte, at: count)
            }
            expect(word + "x", .trailingContent, at: word.count)
            expect(word.uppercased(), .unexpectedByte, at: 0)
        }
        for text in ["undefined", "NaN", "Infinity", "'a'", "+1", ".1", "/**/1", "#", "`a`"] {
            expect(text, .unexpectedByte, at: 0)
        }
        expect("-Infinity", .badNumber, at: 1)
    }

    @Test func `RFC 8259 section 4: an object is a list of members between braces`() {
        for text in ["{}", "{ }", "{\"\":{}}", "{\"a\":1,\"a\":1}"] { expect(text, nil) }
        expect("{", .unexpectedEnd, at: 1)
        expect("{\"a\"", .unexpectedEnd, at: 4)
        expect("{\"a\":", .unexpectedEnd, at: 5)
        expect("{\"a\":1", .unexpectedEnd, at: 6)
        expect("{\"a\":1,", .unexpectedEnd, at: 7)
        expect("{,}", .unexpectedByte, at: 1)
        expect("{1:2}", .unexpectedByte, at: 1)
        expect("{a:2}", .unexpectedByte, at: 1)
        expect("{\"a\"}", .unexpectedByte, at: 4)
        expect("{\"a\" 1}", .unexpectedByte, at: 5)
        expect("{\"a\":}", .unexpectedByte, at: 5)
        expect("{\"a\":1,}", .unexpectedByte, at: 7)
        expect("{\"a\":1 \"b\":2}", .unexpectedByte, at: 7)
        expect("{\"a\":1]", .unexpectedByte, at: 6)
    }

    @Test func `RFC 8259 section 5: an array is a list of values between brackets`() {
        for text in ["[]", "[ ]", "[[]]", "[1,\"\",{},null]"] { expect(text, nil) }
        expect("[", .unexpectedEnd, at: 1)
        expect("[1", .unexpectedEnd, at: 2)
        expect("[1,", .unexpectedEnd, at: 3)
        expect("[,", .unexpectedByte, at: 1)
        expect("[1,]", .unexpectedByte, at: 3)
        expect("[1 2]", .unexpectedByte, at: 3)
        expect("[1}", .unexpectedByte, at: 2)
        expect("]", .unexpectedByte, at: 0)
    }

    @Test func `RFC 8259 section 6: a number consists of minus, int, frac and exp`() {
        let wholes = ["0", "7", "10", "1234567890123456789012345678901234567890"]
        for sign in ["", "-"] {
            for whole in wholes {
                for fraction in ["", ".0", ".50", ".000"] {
                    for exponent in ["", "e0", "E1", "e+00", "E-12", "e9999"] {
                        expect(sign + whole + fraction + exponent, nil)
                    }
                }
            }
        }
        expect("-", .unexpectedEnd, at: 1)
        expect("1.", .unexpectedEnd, at: 2)
        expect("1e", .unexpectedEnd, at: 2)
        expect("1e+", .unexpectedEnd, at: 3)
        expect("00", .badNumber, at: 1)
        expect("-01", .badNumber, at: 2)
        expect("-x", .badNumber, at: 1)
        expect("[1.]", .badNumber, at: 3)
        expect("[1e]", .badNumber, at: 3)
        expect("[1e+]", .badNumber, at: 4)
        expect("[1.e1]", .badNumber, at: 3)
        expect("0x1", .trailingContent, at: 1)
        expect("1_0", .trailingContent, at: 1)
        expect("1.2.3", .trailingContent, at: 3)
        expect("１", .unexpectedByte, at: 0)
    }

    @Test func `RFC 8259 section 7: unescaped control characters are rejected in strings`() {
        for value in 0..<0x20 as Range<UInt32> {
            guard let scalar = Unicode.Scalar(value) else { continue }
            expect("\"a" + String(scalar) + "\"", .controlCharacter, at: 2)
        }
        for scalar: Unicode.Scalar in [" ", "!", "#", "[", "]", "\u{7F}", "\u{80}", "\u{D7FF}"] {
            expect("\"" + String(scalar) + "\"", nil)
        }
        for scalar: Unicode.Scalar in ["\u{E000}", "\u{FFFE}", "\u{FFFF}", "\u{10FFFF}"] {
            expect("\"" + String(scalar) + "\"", nil)
        }
        expect("\"", .unexpectedEnd, at: 1)
        expect("\"abcdefghijkl", .unexpectedEnd, at: 13)
    }

    @Test
    func `RFC 8259 section 7: an escape is one of eight characters, or u and four hex digits`() {
        for byte in UInt8(0x20)...0x7E {
            let letter = String(Unicode.Scalar(byte))
            let isEscape = "\"\\/bfnrt".contains(letter)
            if letter == "u" { continue }
            expect("\"\\\(letter)\"", isEscape ? nil : .badEscape, at: isEscape ? nil : 2)
        }
        expect("\"\\u00E9\\u00e9\\ud83D\\uDE00\\uD800\"", nil)
        expect("\"\\u12\"", .badEscape, at: 5)
        expect("\"\\u123g\"", .badEscape, at: 6)
        expect("\"\\u{41}\"", .badEscape, at: 3)
        expect("\"\\u+123\"", .badEscape, at: 3)
        expect("\"\\", .unexpectedEnd, at: 2)
        expect("\"\\u1", .unexpectedEnd, at: 4)
    }

    @Test(
        arguments: [
            [0x80], [0xC3], [0xC0, 0x80], [0xC1, 0xBF], [0xE0, 0x80, 0x80], [0xE2, 0x82],
            [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF], [0xF0, 0x80, 0x80, 0x80],
            [0xF4, 0x90, 0x80, 0x80],
            [0xF5, 0x80, 0x80, 0x80], [0xFE], [0xFF],
        ] as [[UInt8]])
    func `RFC 8259 section 8.1: a string that is not UTF-8 is rejected`(bytes: [UInt8]) {
        let error = problem([0x22, 0x61] + bytes + [0x22])
        #expect(error?.kind == .invalidUTF8)
        #expect(error?.offset == 2)
    }

    @Test func `RFC 8259 section 8.1: one byte order mark before the JSON text is ignored`() {
        expect("\u{FEFF}[]", nil)
        expect("\u{FEFF}", .unexpectedEnd, at: 3)
        expect("\u{FEFF}\u{FEFF}[]", .unexpectedByte, at: 3)
        #expect(problem([0xFE, 0xFF, 0x00, 0x5B])?.kind == .unexpectedByte)
    }

    @Test
    func `RFC 8259 section 9: 100 million open brackets exceed the size or depth limit`() {
        let bytes = [UInt8](repeating: 0x5B, count: 100_000_000)
        #expect(problem(bytes)?.kind == .tooLarge)
        let error = problem(bytes, JSONLimits(depthMax: .max, byteCountMax: .max))
        #expect(error?.kind == .tooDeep)
        #expect(error?.offset == 1_024)
        let members = Array(String(repeating: "{\"a\":", count: 2_000_000).utf8)
        #expect(problem(members)?.kind == .tooDeep)
    }

    @Test func `JSON arrays and objects with 100,001 entries are read completely`() throws {
        for part in ["0", "\"\\u0041\"", "{\"a\":[]}", "[{}]", "\"é\"", "-1.5e+3"] {
            let text = "[" + String(repeating: part + ",", count: 100_000) + "0]"
            guard case .array(let elements) = try JSONReader().read(Array(text.utf8)) else {
                Issue.record("no array")
                continue
            }
            #expect(elements.count == 100_001)
        }
        let same = "{" + String(repeating: "\"a\":1,", count: 100_000) + "\"a\":1}"
        guard case .object(let members) = try JSONReader().read(Array(same.utf8)) else { return }
        #expect(members.count == 100_001)
    }
}
