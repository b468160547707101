import ProxydParameterCoding
import Testing

@Suite struct URLEncodingNumberTests {
    @Test func `URLEncoding writes integers and decimals with all their digits`() throws {
        let parameters: Parameter = [
            "a": .int(.max), "b": .int(.min), "c": .uint(.max), "d": .decimal("-12.30e+5"),
        ]
        let expected =
            "a=9223372036854775807&b=-9223372036854775808&c=18446744073709551615&d=-12.30e%2B5"
        #expect(try URLEncoding.default.text(parameters) == expected)
    }

    @Test(arguments: [
        (1.0, "1.0", "1"), (-0.0, "-0.0", "-0"), (0.1, "0.1", "0.1"), (1e15, "1e15", "1e15"),
        (1e16, "1e%2B16", "1e%2B16"), (1e21, "1e%2B21", "1e%2B21"), (1e-7, "1e-07", "1e-07"),
        (123.456, "123.456", "123.456"), (Double.leastNonzeroMagnitude, "5e-324", "5e-324"),
    ])
    func `URLEncoding writes a double with the shortest digits that parse to the same value`(
        number: Double,
        text: String,
        shortened: String
    ) throws {
        // The two forms of 1e15 have sixteen digits.
        let long = "1000000000000000"
        let expected = text == "1e15" ? long + ".0" : text
        #expect(try URLEncoding.default.text(["n": .double(number)]) == "n=" + expected)
        let short = shortened == "1e15" ? long : shortened
        #expect(try URLEncoding.alamofire4.text(["n": .double(number)]) == "n=" + short)
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity])
    func `URLEncoding rejects infinity and NaN unless they are allowed`(number: Double) throws {
        let parameters: Parameter = ["a": ["b": .double(number)]]
        #expect(throws: ParameterEncodingError.numberNotFinite(key: "a[b]")) {
            try URLEncoding.default.bytes(parameters)
        }
        let lenient = URLEncoding.default.changed { $0.numbers.allowsNonFinite = true }
        #expect(try lenient.text(["n": .double(number)]) == "n=\(number)")
        let json = lenient.changed { $0.arrays = .json }
        #expect(throws: ParameterEncodingError.numberNotFinite(key: "a")) {
            try json.bytes(["a": [.double(number)]])
        }
    }

    @Test(arguments: ["", "-", "01", "1.", ".5", "1e", "1e+", "+1", "0x1", "1 ", "NaN", "1&a=2"])
    func `URLEncoding throws an error for a decimal that is not a number`(digits: String) {
        #expect(throws: ParameterEncodingError.badDecimal(key: "d", text: digits)) {
            try URLEncoding.default.bytes(["d": .decimal(digits)])
        }
        #expect(throws: ParameterEncodingError.badDecimal(key: "d", text: digits)) {
            try URLEncoding.default.changed { $0.arrays = .json }
                .bytes(["d": [.decimal(digits)]])
        }
    }

    /// What `String(number)` gives in JavaScript (ECMA-262, Number::toString).
    @Test(arguments: [
        (0.0, "0"), (-0.0, "0"), (1.0, "1"), (-1.5, "-1.5"), (0.1, "0.1"),
        (123456.789, "123456.789"),
        (1e16, "10000000000000000"), (1e20, "100000000000000000000"),
        (123456789012345680000.0, "123456789012345680000"), (1e21, "1e+21"), (1.5e21, "1.5e+21"),
        (-1.2345e+100, "-1.2345e+100"), (0.000001, "0.000001"), (0.00000123, "0.00000123"),
        (1e-7, "1e-7"), (1.5e-7, "1.5e-7"), (.leastNonzeroMagnitude, "5e-324"),
        (1.7976931348623157e308, "1.7976931348623157e+308"), (0.001, "0.001"), (100.0, "100"),
    ])
    func `the whatwgForm preset writes numbers as JavaScript does`(
        number: Double, expected: String
    ) throws {
        let encoding = URLEncoding.whatwgForm.changed { $0.escapes = $0.escapes.keeping("+") }
        let given = try encoding.text(["n": .double(number)])
        #expect(given == "n=" + expected.replacing("+", with: "%2B"))
    }

    @Test
    func `the whatwgForm preset writes infinity and NaN as JavaScript does, if they are allowed`()
        throws
    {
        let encoding = URLEncoding.whatwgForm.changed { $0.numbers.allowsNonFinite = true }
        let parameters: Parameter = [
            "a": .double(.infinity), "b": .double(-.infinity), "c": .double(.nan),
        ]
        #expect(try encoding.text(parameters) == "a=Infinity&b=-Infinity&c=NaN")
        #expect(throws: ParameterEncodingError.numberNotFinite(key: "a")) {
            try URLEncoding.whatwgForm.text(parameters)
        }
    }
}
